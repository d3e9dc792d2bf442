#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What many hosts cost one Prometheus.

Usage: scale.py JOB --hosts N [--minutes M], with ioblamed in JOB/bin

A real ioblamed is fed half an hour of made-up usage, always the same, and each minute's page of
its /metrics is kept.  One process serves these pages as those of N hosts, each host beginning at
another minute; one Prometheus with the shipped rules reads all of them each minute.
"""
import argparse
import http.server
import json
import os
import random
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
from fleet import SHIPPED, Fleet  # noqa: E402
from servers import Prometheus, fetch, free_port, start, stop, wait_for, write  # noqa: E402

MINUTES = 30
DEVICES = ["nvme0n1", "sda"]
# operation, reason and certainty of what units do
KINDS = [("read", "page fault", "exact"), ("read", "read", "exact"),
         ("readahead", "readahead", "exact"), ("write", "writeback", "inherited"),
         ("write", "task", "exact"), ("flush", "flush", "exact")]


def usage(units, rng):
    """A minute of a host: a list of the feed's lines without their end"""
    lines = []
    for nr in range(units):
        # the first ones do most, as it is
        size = 1 + 20000 // (nr + 1)
        for kind in range(1 + nr % 3):
            op, why, how = KINDS[(nr + kind * 2) % len(KINDS)]
            ios = 1 + rng.randrange(size)
            lat = [0] * 28
            for _ in range(8):
                lat[5 + rng.randrange(14)] += ios // 8
            lat[10] += ios % 8
            lines.append({"unit": f"service-{nr:03}.service", "program": "p", "uid": 0,
                          "disk": DEVICES[nr % 7 == 0], "op": op, "why": why, "how": how,
                          "ios": ios, "bytes": 0 if op == "flush" else ios * 8192,
                          "ns": ios * 400000, "lat": lat})
    return lines


def record(job, units, more=""):
    """Pages of /metrics of a host, one for each minute"""
    port = free_port()
    conf = write(os.path.join(job, "record.conf"),
                 f"[Viewers]\nSocket=\n[Metrics]\nListen=127.0.0.1:{port}\n{more}")
    daemon = start("record", job, ["bin/ioblamed", "-c", conf, "--feed", "-"],
                   stdin=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}/metrics"
    rng, pages, now = random.Random(1), [], 1_700_000_000 * 10**9
    for nr in range(MINUTES):
        lines = usage(units, rng)
        lines.append({"from_ns": now, "until_ns": now + 60 * 10**9})
        now += 60 * 10**9
        daemon.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        daemon.stdin.flush()
        pages.append(wait_for("an interval", 30, lambda seen=nr + 1: page_of(url, seen)))
    stop(daemon)
    return pages


def page_of(url, intervals):
    """/metrics once so many intervals have ended"""
    text = fetch(url)
    return text if f"ioblame_exporter_intervals_total {intervals}\n" in text else None


def series_of(page):
    """How many samples a page has"""
    return sum(1 for line in page.splitlines() if line and line[0] != "#")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """All hosts: /N is host N"""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, pages):
        super().__init__(("127.0.0.1", 0), Host)
        self.pages = [page.encode() for page in pages]
        self.begin = time.monotonic()
        self.bytes = self.scrapes = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def page(self, host):
        """What a host says now"""
        minute = int((time.monotonic() - self.begin) / 60) + host % (MINUTES // 2)
        return self.pages[min(minute, MINUTES - 1)]


class Host(http.server.BaseHTTPRequestHandler):
    """One host"""

    def do_GET(self):  # pylint: disable=invalid-name
        """The page"""
        text = self.server.page(int(self.path[1:]))
        self.server.bytes += len(text)
        self.server.scrapes += 1
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        except ConnectionError:
            # the reader had no more time; its own figures say so
            pass

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing"""


def config(hosts, port):
    """prometheus.yml"""
    return json.dumps({
        "global": {"scrape_interval": "60s", "scrape_timeout": "30s",
                   "evaluation_interval": "60s"},
        "rule_files": [os.path.join(SHIPPED, "ioblame.rules.yml")],
        "scrape_configs": [{
            "job_name": "ioblame", "static_configs": [
                {"targets": [f"127.0.0.1:{port}"],
                 "labels": {"instance": f"host{nr:05}", "__metrics_path__": f"/{nr}"}}
                for nr in range(hosts)]}]})


def own(prometheus, name):
    """One of Prometheus' own figures, of all labels"""
    values = [float(line.rsplit(" ", 1)[1])
              for line in fetch(prometheus.url + "/metrics", 60).splitlines()
              if line.startswith((name + " ", name + "{"))]
    assert values, f"Prometheus has no {name}"
    return sum(values)


def size_of(folder):
    """Bytes in a folder"""
    return sum(os.path.getsize(os.path.join(where, file))
               for where, _, files in os.walk(folder) for file in files)


def dashboard(prometheus):
    """Seconds of each query of the dashboard, the slowest first"""
    with open(os.path.join(SHIPPED, "ioblame.dashboard.json"), encoding="utf-8") as file:
        board = json.load(file)
    times = []
    for panel in board["panels"]:
        for target in panel["targets"]:
            query = Fleet.substitute(target["expr"]).replace("[1m]", "[4m]")
            began = time.monotonic()
            try:
                prometheus.query(query)
            except (AssertionError, OSError) as error:
                row(f"no answer: {panel['title']}", error)
            times.append((time.monotonic() - began, panel["title"]))
    return sorted(times, reverse=True)


def row(what, value):
    """One figure"""
    print(f"{what:<58} {value}", flush=True)


def measure(prometheus, server, hosts, minutes):
    """Let it run, and print what it costs"""
    wait_for("all hosts are read", 600,
             lambda: prometheus.value('sum(up{job="ioblame"})') == hosts)
    cpu, served, scrapes, began = (own(prometheus, "process_cpu_seconds_total"), server.bytes,
                                   server.scrapes, time.monotonic())
    time.sleep(60 * minutes)
    passed = time.monotonic() - began
    cpu = own(prometheus, "process_cpu_seconds_total") - cpu
    served, scrapes = server.bytes - served, server.scrapes - scrapes
    series = own(prometheus, "prometheus_tsdb_head_series")
    memory = own(prometheus, "process_resident_memory_bytes")
    samples = own(prometheus, "prometheus_tsdb_head_samples_appended_total")
    row("hosts, and those that could not be read now",
        f"{hosts}, {hosts - (prometheus.value('sum(up)') or 0):.0f}")
    row("series in memory, with recorded ones", f"{series:.0f}")
    row("memory of Prometheus, MiB", f"{memory / 2**20:.0f}")
    row("memory by series, bytes", f"{memory / series:.0f}")
    row("processor of Prometheus, of one", f"{cpu / passed:.2f}")
    row("bytes of one page, uncompressed", f"{served / max(scrapes, 1):.0f}")
    row("bytes a second of all pages", f"{served / passed:.0f}")
    row("seconds to read a host: median, 99 of 100, longest",
        ", ".join(f"{prometheus.value(query):.3f}" for query in (
            "quantile(0.5, scrape_duration_seconds)", "quantile(0.99, scrape_duration_seconds)",
            "max(scrape_duration_seconds)")))
    disk = size_of(prometheus.data)
    row("bytes on disk by sample, the log before it is compacted", f"{disk / samples:.1f}")
    began = time.monotonic()
    text = fetch(prometheus.url + "/federate?" + urllib.parse.urlencode(
        {"match[]": '{__name__=~"instance:.*"}'}), 60)
    row("a federation's reading: series, bytes, seconds",
        f"{series_of(text)}, {len(text)}, {time.monotonic() - began:.2f}")
    for group in prometheus.api("rules")["groups"]:
        row(f"seconds to evaluate {group['name']}", f"{group['evaluationTime']:.1f}")
    times = dashboard(prometheus)
    row("seconds of the dashboard's queries, all",
        f"{sum(seconds for seconds, _ in times):.1f}")
    for seconds, title in times[:3]:
        row(f"  {title}", f"{seconds:.1f}")
    slow = prometheus.query("count(instance:ioblame_io_latency_seconds:max_p99_5m)")
    row("hosts whose p99 is recorded", f"{slow[0][1]:.0f}" if slow else "none")


def main():
    """Parse options, and run"""
    parser = argparse.ArgumentParser()
    parser.add_argument("job")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--minutes", type=int, default=4)
    parser.add_argument("--units", type=int, default=100)
    options = parser.parse_args()
    for units in (10, 20):
        small = record(options.job, options.units, f"MaxUnits={units}\n")
        row(f"series of a host of {options.units} units with MaxUnits={units}",
            series_of(small[-1]))
    pages = record(options.job, options.units)
    row(f"series of a host of {options.units} units, as it comes", series_of(pages[-1]))
    server = Server(pages)
    prometheus = Prometheus(options.job, config(options.hosts, server.server_port))
    measure(prometheus, server, options.hosts, options.minutes)
    stop(prometheus.process)


if __name__ == "__main__":
    main()
