# SPDX-License-Identifier: GPL-2.0
"""The binary records, as include/linux/ioblame.h describes them.

Layouts are read from the header: nothing here or in a test says them a second time.

    for record in abi.IOLOG.split(data):
        print(record.op, record.bytes, record.comm)
    abi.IOLOG.pack(op=ord("W"), bytes=4096, comm=b"dd")     what is not said is 0
    abi.CONSTANTS["IOB_MODIFIER_WB"]
    abi.LISTS["IOB_HOWS"]       [("EXACT", "exact"), ("INHERITED", "inherited"), ...]
"""
import os
import re
import struct
import types

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../include/linux/ioblame.h")

CODES = {"__u8": "B", "__s8": "b", "__u16": "H", "__s16": "h", "__u32": "I", "__s32": "i",
         "__u64": "Q", "__s64": "q"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# A list calls X for each entry: #define IOB_HOWS(X) X(EXACT, "exact") ...
LIST = re.compile(r"^#define[ \t]+(\w+)\(X\)(.*)$", re.MULTILINE)
ENTRY = re.compile(r"\s*X\(([^()]*)\)")
# What is made of an entry: #define __IOB_HOW_ENUM(constant, word) IOB_HOW_##constant,
MACRO = re.compile(r"^#define[ \t]+(\w+)\(([^()]*)\)[ \t]+(.*)$", re.MULTILINE)
CALL = re.compile(r"\b(\w+)\((\w+)\)")
DEFINE = re.compile(r"^#define[ \t]+(\w+)[ \t]+(.+?)[ \t]*$", re.MULTILINE)
NUMBER = re.compile(r"\(?(~?)(?:(0x[0-9a-f]+|\d+)U?|([A-Z]\w*))\)?", re.ASCII)
ENUM = re.compile(r"\benum \w+ \{(.*?)\};", re.DOTALL)
STRUCT = re.compile(r"\bstruct (\w+) \{(.*?)\}([^;]*);", re.DOTALL)
MEMBER = re.compile(r"(\w+)\s+(\w+)(?:\[(\w*)\])?")
# in the comment of a struct: @ver:	IOB_IOLOG_BIN_VER
VERSION = re.compile(r"/\*\*\n \* struct (\w+) -(?:(?!\*/).)*?\n \* @ver:\s+(\w+)\n", re.DOTALL)


class BadRecord(ValueError):
    """Bytes that are no record of the header's."""


class Record:
    """A struct of the header: fixed members, and maybe an array as its tail."""

    def __init__(self, name, members, version):
        """@members: (name, struct code, count) each; a count of None is the tail's."""
        self.name, self.version = name, version
        self.tail = members[-1] if members[-1][2] is None else None
        self.members = members[:-1] if self.tail else members
        self.layout = struct.Struct("=" + "".join(
            f"{count}s" if code == "s" or is_padding(name) else code * count
            for name, code, count in wide_padding(self.members)))
        self.names = [name for name, _, _ in self.members]
        # what is packed of members of which nothing is said: one value each, a list of an array
        self.nothing = {name: [0] * count if is_array(name, code, count) else
                        b"" if code == "s" or is_padding(name) else 0
                        for name, code, count in self.members}
        self.nothing.update((name, value) for name, value in
                            (("len", self.size), ("ver", version)) if name in self.nothing)
        self.arrays = any(is_array(*member) for member in self.members)

    @property
    def size(self):
        """Bytes of the fixed members."""
        return self.layout.size

    def offsets(self):
        """{member: its first byte}, the tail's too."""
        found, at = {}, 0
        for name, code, count in self.members:
            found[name] = at
            at += struct.calcsize(f"={count}{code}")
        if self.tail:
            found[self.tail[0]] = at
        return found

    def unpack(self, data):
        """One whole record; its members are attributes, and padding must be 0."""
        if len(data) < self.size or (not self.tail and len(data) != self.size):
            raise BadRecord(f"{self.name} of {len(data)} bytes, not {self.size}")
        record, values = types.SimpleNamespace(), iter(self.layout.unpack_from(data))
        for name, code, count in self.members:
            if is_array(name, code, count):
                value = [next(values) for _ in range(count)]
            else:
                value = next(values)
            if not is_padding(name):
                setattr(record, name, value)
            elif any(value):
                raise BadRecord(f"{self.name}: {name} is {value!r}, not 0")
        if self.tail:
            rest, width = len(data) - self.size, struct.calcsize("=" + self.tail[1])
            if rest % width:
                raise BadRecord(f"{self.name}: a tail of {rest} bytes")
            setattr(record, self.tail[0], list(struct.unpack_from(
                f"={rest // width}{self.tail[1]}", data, self.size)))
        return record

    def pack(self, **values):
        """One record without a tail; what is not said is 0, len and ver are right."""
        # (tests pack ten thousands of them, in the order of the members)
        whole = {**self.nothing, **values}
        if len(whole) != len(self.nothing):
            raise BadRecord(f"{self.name} has no {sorted(set(values) - set(self.names))}")
        if not self.arrays:
            return self.layout.pack(*whole.values())
        packed = []
        for value in whole.values():
            packed += value if isinstance(value, (list, tuple)) else [value]
        return self.layout.pack(*packed)

    def split(self, data):
        """Yield the records of @data, which step by their own length, unpacked."""
        for record in self.raw(data):
            yield self.unpack(record)

    def raw(self, data):
        """Yield the bytes of each record of @data."""
        head = struct.Struct("=" + "".join(code for _, code, _ in self.members[:2]))
        at = 0
        while at < len(data):
            if len(data) - at < head.size:
                raise BadRecord(f"{self.name}: {len(data) - at} bytes are left")
            length, version = head.unpack_from(data, at)
            if version != self.version:
                raise BadRecord(f"{self.name}: version {version}, not {self.version}")
            if not self.size <= length <= len(data) - at:
                raise BadRecord(f"{self.name} of {length} bytes, {len(data) - at} are left")
            yield data[at:at + length]
            at += length


def is_padding(name):
    return name.startswith("__pad")


def is_array(name, code, count):
    """True if a fixed member is several numbers: neither text nor padding."""
    return count > 1 and code != "s" and not is_padding(name)


def wide_padding(members):
    """Padding as so many bytes, whatever its type."""
    for name, code, count in members:
        yield (name, "s", struct.calcsize(f"={count}{code}")) if is_padding(name) else \
            (name, code, count)


def number(text, constants):
    """The value of an expression of the header: a number or name, maybe with ~; else None."""
    match = NUMBER.fullmatch(text)
    if not match or (match[3] and match[3] not in constants):
        return None
    value = constants[match[3]] if match[3] else int(match[2], 0)
    return ~value & 0xFFFFFFFF if match[1] else value


def parse_lists(bare):
    lists = {}
    for name, body in LIST.findall(bare):
        if ENTRY.sub("", body).strip():
            raise ValueError(f"{name}: {body!r} is no list")
        lists[name] = [tuple(word.strip().strip("\"'") for word in entry.split(","))
                       for entry in ENTRY.findall(body)]
    return lists


def expand(text, lists, macros):
    """Replace LIST(MACRO) by what the macro makes of each entry."""
    def entries(call):
        parameters, body = macros[call[2]]
        made = []
        for entry in lists[call[1]]:
            values = dict(zip(parameters, entry))
            made.append(re.sub(r"\w+", lambda word: values.get(word[0], word[0]),
                               body.replace("##", " ")).replace(" ", ""))
        return " ".join(made)
    return CALL.sub(entries, text)


def parse_constants(bare, lists):
    found = {}
    macros = {name: ([word.strip() for word in parameters.split(",")], body)
              for name, parameters, body in MACRO.findall(bare)}
    for name, text in DEFINE.findall(bare):
        value = number(text, found)
        if value is not None:
            found[name] = value
        elif name.startswith("IOB"):
            raise ValueError(f"{name}: {text!r} is no number")
    for body in ENUM.findall(bare):
        names = (word.strip() for word in expand(body, lists, macros).split(","))
        for value, name in enumerate(filter(None, names)):
            if not re.fullmatch(r"\w+", name):
                raise ValueError(f"an enum has {name!r}")
            found[name] = value
    return found


def parse_members(struct_name, body, constants):
    members = []
    for text in filter(None, (word.strip() for word in body.split(";"))):
        match = MEMBER.fullmatch(text)
        code = match and ("s" if match[1] == "char" else CODES.get(match[1]))
        if not code or (members and members[-1][2] is None):
            raise ValueError(f"struct {struct_name}: {text!r}")
        count = 1
        if match[3]:
            count = number(match[3], constants)
            if count is None:
                raise ValueError(f"struct {struct_name}: an array {text!r}")
        elif match[3] == "":
            count = None
        members.append((match[2], code, count))
    return members


def parse(text):
    """({name: constant}, {name: [entry, ...]}, {name: Record}) of a header's text."""
    bare = re.sub(r"\s*\\\n", " ", COMMENT.sub(" ", text))
    lists = parse_lists(bare)
    constants, versions = parse_constants(bare, lists), dict(VERSION.findall(text))
    records = {}
    for name, body, attributes in STRUCT.findall(bare):
        if attributes.strip() != "__packed":
            raise ValueError(f"struct {name} is not packed: its layout is the compiler's")
        if name not in versions:
            raise ValueError(f"struct {name}: its comment does not say its version")
        records[name] = Record(name, parse_members(name, body, constants),
                               constants[versions[name]])
    return constants, lists, records


with open(HEADER, encoding="utf-8") as f:
    CONSTANTS, LISTS, RECORDS = parse(f.read())
INTENT = RECORDS["iob_intent_bin_record"]
PIPE = RECORDS["iobc_pipe_bin_record"]
IOLOG = RECORDS["iob_iolog_bin_record"]
SUM = RECORDS["iob_sum_bin_record"]

# The letters of operations, the words of how sure the blame is
OPS = [letter for _, letter, _ in LISTS["IOB_OPS"]]
HOWS = [word for _, word in LISTS["IOB_HOWS"]]
