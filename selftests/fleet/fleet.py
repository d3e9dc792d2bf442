#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whether Prometheus, node_exporter and PCP read what ioblamed serves.

Usage: fleet.py JOB, with ioblamed in JOB/bin

Two ioblamed are fed by this program, which knows what they must say: one is open, one has TLS and
a user.  A third host is made up: it has the module's own series, which a feed does not have.
"""
import base64
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
from servers import Prometheus, fetch, free_port, start, wait_for, write  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SHIPPED = os.path.join(HERE, "../../tools/ioblamed/fleet")
# of the password "secret", by htpasswd -nBC 4
HASH = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"
# one could end a label and a sample
UNITS = ["db.service", "backup.service", 'a"b\\c} 1.service']


class Feed:
    """Usage for one ioblamed, and what it adds up to"""

    def __init__(self, process):
        self.process = process
        self.ios = self.bytes = self.intervals = 0
        self.by_unit = {unit: 0 for unit in UNITS}

    def interval(self):
        """One interval"""
        now = time.time_ns()
        if not self.intervals:
            # the text file shows a new series as 0 for two minutes
            now -= 300 * 10**9
        lines = []
        for nr, unit in enumerate(UNITS):
            for op, how, why in (("read", "exact", ""), ("write", "inherited", "writeback"),
                                 ("write", "lost", ""),
                                 ("flush", "exact", "flush")):
                ios = 10 * (nr + 1)
                count = 0 if op == "flush" else ios * 4096
                lat = [0] * 28
                lat[10 + 3 * nr] = ios
                lines.append({"unit": unit, "program": "p", "uid": 0, "disk": "sda", "op": op,
                              "how": how, "why": why, "ios": ios, "bytes": count,
                              "ns": ios << (20 + 3 * nr), "errors": int(nr == 1), "lat": lat})
                self.ios += ios
                self.bytes += count
                self.by_unit[unit] += ios
        lines.append({"from_ns": now - 10**9, "until_ns": now, "lost_ios": 1})
        self.intervals += 1
        for line in lines:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()


class Module(http.server.BaseHTTPRequestHandler):
    """A host whose module lost something: series that a feed does not have"""

    asked = 0

    def do_GET(self):  # pylint: disable=invalid-name
        """The page"""
        Module.asked += 1
        text = (f'ioblame_losses_total{{kind="no_memory"}} {Module.asked}\n'
                f"ioblame_cancelled_bytes_total {4096 * Module.asked}\nioblame_up 1\n").encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.end_headers()
            self.wfile.write(text)
        except ConnectionError:
            # a reader that ends, or had no more time
            pass

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Nothing"""


class Fleet:
    """All that runs, and what is checked"""

    def __init__(self, job):
        self.job = job
        self.feeds = {}
        self.ports = {name: free_port() for name in ("open", "closed", "node")}
        os.makedirs(os.path.join(job, "text"), exist_ok=True)
        write(os.path.join(job, "web.yml"),
              "tls_server_config:\n  cert_file: web.crt\n  key_file: web.key\n"
              f"basic_auth_users:\n  prometheus: {HASH}\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=ioblamed", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", "web.key", "-out", "web.crt"],
                       cwd=job, check=True, capture_output=True)
        self.daemon("open", f"TextFile={job}/text/ioblame.prom\n")
        self.daemon("closed", f"WebConfigFile={job}/web.yml\n")
        start("node_exporter", job, [
            "prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
            f"--collector.textfile.directory={job}/text",
            f"--web.listen-address=127.0.0.1:{self.ports['node']}"])
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Module)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.prometheus = Prometheus(job, self.config(server.server_port))

    def daemon(self, name, more):
        """Start an ioblamed that is fed"""
        conf = write(os.path.join(self.job, name + ".conf"),
                     "[Viewers]\nSocket=\n[Metrics]\n"
                     f"Listen=127.0.0.1:{self.ports[name]}\n{more}")
        process = start(name, self.job, ["bin/ioblamed", "-c", conf, "--feed", "-"],
                        stdin=subprocess.PIPE)
        self.feeds[name] = Feed(process)

    def config(self, module):
        """prometheus.yml"""
        ports = self.ports
        return json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [os.path.join(SHIPPED, "ioblame.rules.yml")],
            "scrape_configs": [
                {"job_name": "open", "static_configs": [
                    {"targets": [f"127.0.0.1:{ports['open']}"]}]},
                {"job_name": "made-up", "static_configs": [
                    {"targets": [f"127.0.0.1:{module}"]}]},
                {"job_name": "closed", "scheme": "https",
                 "tls_config": {"ca_file": os.path.join(self.job, "web.crt")},
                 "basic_auth": {"username": "prometheus", "password": "secret"},
                 "static_configs": [{"targets": [f"127.0.0.1:{ports['closed']}"]}]},
                {"job_name": "node", "static_configs": [
                    {"targets": [f"127.0.0.1:{ports['node']}"]}]}]})

    def run_feeds(self, seconds):
        """An interval a second"""
        for _ in range(seconds):
            for feed in self.feeds.values():
                feed.interval()
            time.sleep(1)

    def page(self, **headers):
        """/metrics of the open one"""
        return fetch(f"http://127.0.0.1:{self.ports['open']}/metrics", **headers)

    def check_scraped(self):
        """Prometheus reads all hosts, and has exactly what was fed"""
        targets = self.prometheus.api("targets")["activeTargets"]
        assert len(targets) == 4, targets
        bad = [target["lastError"] for target in targets if target["health"] != "up"]
        assert not bad, bad
        for name, feed in self.feeds.items():
            for metric, fed in (("ioblame_ios_total", feed.ios),
                                ("ioblame_io_bytes_total", feed.bytes),
                                ("ioblame_io_latency_seconds_count", feed.ios),
                                ("ioblame_lost_ios_total", feed.intervals)):
                query = f'sum({metric}{{job="{name}"}})'
                wait_for(f"{query} is {fed}", 5,
                         lambda q=query, f=fed: self.prometheus.value(q) == f)
            samples = self.prometheus.query(f'sum by (unit) (ioblame_ios_total{{job="{name}"}})')
            units = {labels["unit"]: value for labels, value in samples}
            assert units == feed.by_unit, (units, feed.by_unit)

    def check_increase(self):
        """No IO is lost at a series' begin: it is 0 first"""
        fed = self.feeds["open"].ios
        first = self.prometheus.query('sum(min_over_time(ioblame_ios_total{job="open"}[10m]))')
        assert first == [({}, 0.0)], first
        assert self.prometheus.value('sum(ioblame_ios_total{job="open"})') == fed

    def check_promtool(self):
        """promtool is content with /metrics and with the text file"""
        with open(os.path.join(self.job, "text/ioblame.prom"), encoding="utf-8") as file:
            texts = {"/metrics": self.page(), "text file": file.read()}
        for name, text in texts.items():
            done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                                  capture_output=True, check=False)
            said = done.stdout + done.stderr
            assert done.returncode == 0 and not said, f"{name}: {said}"
        text = self.page(Accept="application/openmetrics-text")
        assert text.endswith("# EOF\n") and "# UNIT" in text
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert 50 < len(lines) < 2000, f"{len(lines)} series"

    def check_closed(self):
        """Without the password there is nothing"""
        context = ssl.create_default_context(cafile=os.path.join(self.job, "web.crt"))
        url = f"https://127.0.0.1:{self.ports['closed']}/metrics"
        for user in (None, "prometheus:wrong", "nobody:secret", "prometheus:"):
            headers = {}
            if user:
                headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
            request = urllib.request.Request(url, headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=10, context=context):
                    raise AssertionError(f"{user} may read")
            except urllib.error.HTTPError as error:
                assert error.code == 401, f"{user}: {error.code}"

    def check_rules(self):
        """Each shipped rule works, and each recorded series is there"""
        groups = self.prometheus.api("rules")["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        assert len(rules) > 15, len(rules)
        for rule in rules:
            assert rule["health"] == "ok", rule
            if rule["type"] == "recording":
                assert self.prometheus.query(rule["name"]), f"{rule['name']} is nowhere"
        firing = {alert["labels"]["alertname"] for alert in
                  self.prometheus.api("alerts")["alerts"] if alert["state"] == "firing"}
        assert {"IoblameErrors", "IoblameLosses"} <= firing, firing

    def check_dashboard(self):
        """Each query of the dashboard answers, and so do its variables"""
        with open(os.path.join(SHIPPED, "ioblame.dashboard.json"), encoding="utf-8") as file:
            board = json.load(file)
        queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        queries += [note["expr"] for note in board["annotations"]["list"]]
        assert len(queries) > 15, len(queries)
        for query in queries:
            assert self.answers(query), f"nothing answers {query}"
        for variable in board["templating"]["list"]:
            if variable["type"] != "query":
                continue
            words = variable["query"]["query"].removeprefix("label_values(").removesuffix(")")
            metric, label = words.rsplit(", ", 1)
            found = self.prometheus.api(f"label/{label}/values",
                                        **{"match[]": self.substitute(metric)})
            assert found, f"{variable['name']} has no values"

    def answers(self, query):
        """Samples of a dashboard's query"""
        return self.prometheus.query(self.substitute(query))

    @staticmethod
    def substitute(query):
        """As Grafana does, with All chosen"""
        for variable in ("job", "instance", "device"):
            query = query.replace(f'"${variable}"', '".*"')
        query = query.replace("$__rate_interval", "1m")
        assert "$" not in query, query
        return query

    def check_node_exporter(self):
        """node_exporter takes the text file whole"""
        text = fetch(f"http://127.0.0.1:{self.ports['node']}/metrics")
        assert "node_textfile_scrape_error 0\n" in text
        ios = sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                  if line.startswith("ioblame_ios_total{"))
        assert ios == self.feeds["open"].ios, (ios, self.feeds["open"].ios)

    def check_pcp(self):
        """PCP's openmetrics agent reads /metrics"""
        folder = os.path.join(self.job, "pcp")
        os.makedirs(os.path.join(folder, "config.d"))
        write(os.path.join(folder, "config.d/ioblame.url"),
              f"http://127.0.0.1:{self.ports['open']}/metrics\n")
        write(os.path.join(folder, "pmns"), "root {\n\topenmetrics\t144:*:*\n}\n")
        agent = "/usr/lib/pcp/pmdas/openmetrics/pmdaopenmetrics.python"
        write(os.path.join(folder, "pmcd.conf"),
              f"openmetrics\t144\tpipe\tbinary notready\t/usr/bin/python3 {agent} -d 144 "
              f"-c {folder}/config.d -u root\n\n[access]\nallow \"local:*\" : all;\n")
        port = free_port()
        where = {"PCP_RUN_DIR": folder, "PCP_TMP_DIR": folder, "PCP_LOG_DIR": folder}
        start("pmcd", self.job, [
            "/usr/lib/pcp/bin/pmcd", "-f", "-c", f"{folder}/pmcd.conf", "-n", f"{folder}/pmns",
            "-i", "127.0.0.1", "-p", str(port), "-s", f"{folder}/socket",
            "-l", f"{folder}/pmcd.log", "-U", "root"], env={**os.environ, **where})
        metric = "openmetrics.ioblame.ioblame_ios_total"

        def values():
            done = subprocess.run(["pminfo", "-f", "-h", f"127.0.0.1:{port}", metric],
                                  capture_output=True, text=True, timeout=20, check=False)
            return [int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines()
                    if " value " in line]
        found = wait_for("PCP", 30, values)
        assert sum(found) == self.feeds["open"].ios, (sum(found), self.feeds["open"].ios)


CHECKS = ["scraped", "increase", "promtool", "closed", "rules", "dashboard", "node_exporter", "pcp"]


def main(job):
    """Return how many checks failed"""
    fleet = Fleet(job)
    wait_for("Prometheus", 30, lambda: fleet.prometheus.api("status/buildinfo"))
    fleet.run_feeds(12)
    time.sleep(3)
    failed = 0
    for name in CHECKS:
        try:
            getattr(fleet, "check_" + name)()
        except (AssertionError, OSError, KeyError, subprocess.SubprocessError) as error:
            failed += 1
            print(f"FAIL fleet/{name} {error}".replace("\n", " "), flush=True)
        else:
            print(f"ok fleet/{name}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1]) else 0)
