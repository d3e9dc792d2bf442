# SPDX-License-Identifier: GPL-2.0
"""What the tests of fleets start: ioblamed, Prometheus and others, all on loopback."""
import atexit
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request


def free_port():
    """A port that nobody has now"""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def write(path, text):
    """Write a file, and give its path"""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def start(name, job, command, **more):
    """Start a program whose output goes to job/NAME.log, and end it with the test"""
    with open(os.path.join(job, name + ".log"), "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=job, **more)
    atexit.register(stop, process)
    return process


def stop(process):
    """End a program that start() started"""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def fetch(url, timeout=10, **headers):
    """The text at an address; an error of HTTP is raised"""
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read().decode()


def wait_for(what, seconds, ask):
    """Ask until the answer is true; give it"""
    end = time.monotonic() + seconds
    while True:
        try:
            answer = ask()
        except (AssertionError, OSError, ValueError):
            answer = None
        if answer or time.monotonic() > end:
            break
        time.sleep(0.3)
    if not answer:
        raise AssertionError(f"{what}: not within {seconds} s")
    return answer


class Prometheus:
    """A Prometheus with this configuration"""

    def __init__(self, job, config, *options):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        path = write(os.path.join(job, "prometheus.yml"), config)
        self.data = os.path.join(job, "data")
        self.process = start("prometheus", job, [
            "prometheus", f"--config.file={path}", f"--storage.tsdb.path={self.data}",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn", *options])

    def api(self, path, **words):
        """The answer of its interface"""
        query = "?" + urllib.parse.urlencode(words) if words else ""
        try:
            text = fetch(f"{self.url}/api/v1/{path}{query}", 60)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{words}: {error.read().decode()}") from error
        return json.loads(text)["data"]

    def query(self, expression):
        """Samples that an expression has now: a list of (labels, value)"""
        result = self.api("query", query=expression)["result"]
        return [(sample["metric"], float(sample["value"][1])) for sample in result]

    def value(self, expression):
        """The only sample's value; None if there is none"""
        samples = self.query(expression)
        assert len(samples) < 2, f"{expression}: {len(samples)} samples"
        return samples[0][1] if samples else None
