#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Judges what `ioblame export` wrote: export_check.py blktrace|events FOLDER

blktrace: FOLDER has ours.txt and real.txt, lines "ACTION RWBS SECTOR SECTORS TIME PID NAME" of
blkparse, of the export and of blktrace itself at the same time, and what btt says of the export
(ours.avg). events: FOLDER has trace, the trace events. Both are also held against snoop, the JSON
of `ioblame snoop`, and *.extents, where the disk has the files of the load.
"""
import collections
import json
import os
import re
import sys


def fail(text):
    sys.exit(f"fail: {text}")


def blkparse(path):
    """Events of data: action, flags, sector, sectors, time, name"""
    for line in open(path):
        words = line.split(None, 6)
        # notes of plugs and requests of none but the block layer have no sectors
        if len(words) == 7 and words[0] in tuple('QGIMDC') and words[3] != '0':
            action, rwbs, sector, sectors, time, _, name = words
            yield action, rwbs, int(sector), int(sectors), float(time), name.strip()


def requests(events, action):
    """The requests that were issued or completed. A flush with a write is a request of its own,
    and FUA becomes one on a disk without it: the F's are not compared."""
    return collections.Counter((rwbs.replace('F', ''), sector, sectors)
                               for a, rwbs, sector, sectors, _, _ in events if a == action)


def latencies(events):
    """From issue to completion, by the sectors"""
    issued, taken = {}, collections.defaultdict(list)
    for action, _, sector, sectors, time, _ in events:
        if action == 'D':
            issued[sector, sectors] = time
        elif action == 'C' and (sector, sectors) in issued:
            taken[sector, sectors].append(time - issued.pop((sector, sectors)))
    return taken


def same_requests(ours, real):
    for action in 'DC':
        mine, theirs = requests(ours, action), requests(real, action)
        if not mine:
            fail(f"no {action} in the export")
        if mine != theirs:
            fail(f"{action} only of blktrace: {list((theirs - mine).items())[:5]}, "
                 f"only of the export: {list((mine - theirs).items())[:5]}")
    print(f"{sum(requests(ours, 'C').values())} requests, as blktrace saw them")


def same_latencies(ours, real):
    mine, theirs = latencies(ours), latencies(real)
    apart = sorted(abs(a - b) for key in mine for a, b in zip(mine[key], theirs.get(key, [])))
    # each has read the clock by itself
    if len(apart) < 10 or apart[len(apart) // 2] > 100e-6:
        fail(f"{len(apart)} latencies, apart by {apart[len(apart) // 2:][:1]} s")
    print(f"latencies of {len(apart)} are apart by {apart[len(apart) // 2] * 1e6:.1f} us")


def extents(path):
    """The sectors of a file on the disk, as filefrag -v -b512 tells"""
    found = set()
    for line in open(path):
        words = re.match(r' *[0-9]+: +[0-9]+\.\. *[0-9]+: +([0-9]+)\.\. *([0-9]+):', line)
        if words:
            found.update(range(int(words[1]), int(words[2]) + 1))
    return found


def writers(events, sectors):
    """How many of these sectors are queued by whom"""
    found = collections.Counter()
    for action, rwbs, sector, nr, _, name in events:
        if action == 'Q' and 'W' in rwbs:
            found[name] += len(sectors.intersection(range(sector, sector + nr)))
    return {name: nr for name, nr in found.items() if nr}


def right_names(ours, real, folder):
    """On a file's sectors blktrace knows who wrote to the disk, and we who wrote the file."""
    for name, size in (('buffered', 1 << 20), ('straight', 512 << 10)):
        sectors = extents(os.path.join(folder, f'{name}.extents'))
        if writers(ours, sectors) != {name: size // 512} or len(sectors) != size // 512:
            fail(f"of {len(sectors)} sectors of {name}, {writers(ours, sectors)} are queued")
        if name == 'buffered' and name in writers(real, sectors):
            fail("the load is not written by the flusher: it shows nothing")


def same_as_snoop(path, records):
    """btt's Q2C of all: minimum, average, maximum, number"""
    said = re.search(r'^Q2C(?:dm)? +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9]+)',
                     open(path).read(), re.M)
    # (btt takes the major number of virtio disks for that of device mapper)
    times = [r['total_ns'] / 1e9 for r in records if r['bytes'] and r['total_ns'] is not None]
    want = min(times), sum(times) / len(times), max(times)
    if not said:
        fail("btt knows no Q2C")
    got = [float(x) for x in said.groups()]
    if got[3] != len(times) or any(abs(a - b) > 2e-9 for a, b in zip(got, want)):
        fail(f"btt's Q2C is {got}, ioblame's {want} of {len(times)}")
    print(f"btt's Q2C of {len(times)} is ioblame's")


def blktrace(folder, records):
    ours = list(blkparse(os.path.join(folder, 'ours.txt')))
    real = list(blkparse(os.path.join(folder, 'real.txt')))
    same_requests(ours, real)
    same_latencies(ours, real)
    right_names(ours, real, folder)
    same_as_snoop(os.path.join(folder, 'ours.avg'), records)


def key_of_event(event):
    args = event['args']
    return (event['cat'], args['sector'], args['bytes'], round(event['dur'] * 1000),
            args['file'], args['why'])


def key_of_record(r):
    return r['op'], r['sector'], r['bytes'], r['total_ns'], r['file'], r['why']


def check_tracks(slices):
    """Slices of a track follow each other, or one is in the other."""
    tracks = collections.defaultdict(list)
    for event in slices:
        tracks[event['pid'], event['tid']].append(event)
    for track in tracks.values():
        outer = [(round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000))
                 for e in track if e['cat'] != 'device']
        outer.sort()
        if any(a[1] > b[0] for a, b in zip(outer, outer[1:])):
            fail("two IOs of a track overlap")


def events(folder, records):
    trace = json.load(open(os.path.join(folder, 'trace')))
    slices = [e for e in trace['traceEvents'] if e['ph'] == 'X']
    ios = collections.Counter(key_of_event(e) for e in slices if e['cat'] != 'device')
    want = collections.Counter(key_of_record(r) for r in records if r['total_ns'] is not None)
    if ios != want or not want:
        fail(f"slices only: {list((ios - want).items())[:3]}, "
             f"records only: {list((want - ios).items())[:3]}")
    check_tracks(slices)
    named = {(e['pid'], e['tid']): e['args']['name'] for e in trace['traceEvents']
             if e['ph'] == 'M' and e['name'] == 'thread_name'}
    written = sum(e['args']['bytes'] for e in slices if e['cat'] == 'write' and
                  named[e['pid'], e['tid']].startswith('buffered ') and
                  e['args']['file'].endswith('/buffered.dat'))
    if written != 1 << 20:
        fail(f"{written} bytes on the tracks of buffered")
    print(f"{sum(ios.values())} slices on {len(named)} tracks")


def main():
    folder = sys.argv[2]
    lines = [json.loads(line) for line in open(os.path.join(folder, 'snoop'))]
    check = {'blktrace': blktrace, 'events': events}[sys.argv[1]]
    check(folder, [r for r in lines if r['type'] == 'io'])


main()
