# SPDX-License-Identifier: GPL-2.0
"""A headless Chromium, driven through its debugging pipe.

The protocol is JSON with a NUL behind each message, on the descriptors 3 (to the browser)
and 4 (from it).  So no library and no port of the network is needed.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def path():
    """The program of a browser, or None"""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """With Browser() as browser: pages of files."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="browser.")
        to, self.write = os.pipe()
        self.read, back = os.pipe()
        self.number, self.buffer, self.events, self.session = 0, b"", [], None

        def descriptors():
            # 3 and 4 may be the ends of these pipes: move them out of the way first
            ours, theirs = os.dup(to), os.dup(back)
            high = [os.dup2(fd, 100 + i) for i, fd in enumerate((ours, theirs))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [path(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.home}",
             "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to)
        os.close(back)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, until):
        """The next message"""
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.read, 1 << 20)
            if not got:
                raise EOFError("the browser ended")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        """Call a method.  Events that come before its answer are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 60
        while True:
            got = self.message(until)
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def evaluate(self, expression):
        """The value of an expression in the page"""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                        awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"]["exception"].get("description"))
        return got["result"].get("value")

    def look(self, width=1280, height=900, dark=False):
        """Be a screen of this size and taste"""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, file, ready, script=True):
        """Open a file, and wait until an expression is true, and with a script, until it is drawn.

        Return: the seconds of CPU time that the page's main thread had for it: of other load on
        the machine this knows little.
        """
        self.events = []
        begun = time.monotonic()
        # (the sums begin anew)
        self.call("Performance.disable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Page.navigate", url="file://" + os.path.abspath(file))
        while not self.evaluate(f"Boolean(document.documentElement) && ({ready})"):
            if time.monotonic() - begun > 60:
                raise TimeoutError(f"{file} is not ready: {self.complaints()}")
            time.sleep(0.01)
        if script:
            self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        metrics = self.call("Performance.getMetrics")["metrics"]
        took = next(m["value"] for m in metrics if m["name"] == "TaskDuration")
        assert took > 0, metrics
        return took

    def complaints(self):
        """What the page and the browser said is wrong"""
        said = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                said.append(params["exceptionDetails"].get("exception", {}).get("description"))
            elif event.get("method") == "Log.entryAdded":
                said.append(params["entry"]["text"])
        return said

    def requests(self):
        """The addresses that were asked for"""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def press(self, key, **more):
        """Press a key; a letter is typed, too"""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def picture(self, file, whole=False):
        """Save what is seen as a PNG"""
        got = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(file, "wb") as f:
            f.write(base64.b64decode(got["data"]))
