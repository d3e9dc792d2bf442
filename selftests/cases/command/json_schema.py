#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Hold each line of the files of a folder against the JSON Schema: FOLDER

Each line must be valid, each of its keys must be described, each definition must have been seen,
and a line that is spoilt must be refused: else the schema would say nothing.
"""
import copy
import json
import os
import re
import sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../Documentation/reference/ioblame.schema.json")


def lines_of(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield f"{name}:{number}", json.loads(line)


def no_twice(pairs):
    """An object of the schema: of a key that is there twice only the last one would count."""
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"the schema has {sorted(twice)} twice in one object")
    return dict(pairs)


def strict(schema):
    """A schema that takes no key that it does not describe: the test's, as new keys may appear."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if closed.get("type") == "object" and ("properties" in closed or
                                           "patternProperties" in closed):
        closed.setdefault("additionalProperties", False)
    return closed


def objects_in(value, path=()):
    """The places of the objects within a line, one for each list."""
    if isinstance(value, list) and value:
        yield from objects_in(value[0], path + (0,))
    elif isinstance(value, dict):
        if path:
            yield path
        for key, inner in value.items():
            yield from objects_in(inner, path + (key,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def spoilt_within(line):
    """The same of the objects within a line."""
    for path in objects_in(line):
        for key in at(line, path):
            other = copy.deepcopy(line)
            at(other, path)[key] = {"of": ["no", "type"]}
            yield "another %s in %s" % (key, path), other


def spoilt(line, definition):
    """Copies of a line that are wrong, and what is wrong with each."""
    if line["type"] == "stat":
        yield from spoilt_within(line)
    for key in definition["required"]:
        less = copy.deepcopy(line)
        del less[key]
        yield "without " + key, less
    for key in line:
        if key in definition["properties"]:
            other = copy.deepcopy(line)
            other[key] = {"of": ["no", "type"]}
            if definition["properties"][key].get("type") != "object":
                yield "another " + key, other


class Check:
    def __init__(self):
        with open(SCHEMA, encoding="utf-8") as file:
            self.schema = strict(json.load(file, object_pairs_hook=no_twice))
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.whole = jsonschema.Draft202012Validator(self.schema)
        # one validator for each definition that a line can be
        self.parts = {}
        for entry in self.schema["anyOf"]:
            name = entry["$ref"].rsplit("/", 1)[1]
            part = {"$ref": entry["$ref"], "$defs": self.schema["$defs"]}
            self.parts[name] = jsonschema.Draft202012Validator(part)
        self.seen, self.wrong = {}, []

    def line(self, where, line):
        fits = [name for name, part in self.parts.items() if part.is_valid(line)]
        if len(fits) != 1:
            why = [error.message for name, part in self.parts.items()
                   for error in part.iter_errors(line)
                   if line.get("type") in str(self.schema["$defs"][name]["properties"]["type"])]
            self.wrong.append(f"{where}: is {fits or 'nothing'}: {why[:3]}: {str(line)[:300]}")
            return
        definition = self.schema["$defs"][fits[0]]
        extra = [key for key in line if key not in definition["properties"] and
                 not any(re.search(p, key) for p in definition.get("patternProperties", ()))]
        if extra:
            self.wrong.append(f"{where}: the schema has no {extra} of {fits[0]}")
        if fits[0] in self.seen:
            return
        self.seen[fits[0]] = where
        for what, bad in spoilt(line, definition):
            if self.whole.is_valid(bad):
                self.wrong.append(f"{fits[0]} {what} is taken")


def main():
    check = Check()
    number = 0
    for where, line in lines_of(sys.argv[1]):
        check.line(where, line)
        number += 1
    for name in set(check.parts) - set(check.seen):
        check.wrong.append(f"nothing printed is a {name}")
    print("\n".join(check.wrong[:40]))
    print(f"{number} lines, {len(check.wrong)} wrong")
    return 1 if check.wrong or number < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
