"""Controls headless Chromium by its own protocol over two pipes: opens pages, presses keys, takes pictures.

`with Browser(path) as browser:` starts one process with a temporary profile, and ends it. A call that the browser
refuses, or a script that throws, is a RuntimeError. The messages that pages write to the console, especially
errors, are collected in `said`.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--hide-scrollbars",
         "--remote-debugging-pipe"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
# Chromium's code for a key, besides its name.
CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def find() -> str | None:
    """Returns CCGRAPH_CHROMIUM, or the system's program."""
    return os.environ.get("CCGRAPH_CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, path: str, size=(1400, 1000)):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.said: list[str] = []
        self.count = 0
        self.rest = b""
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        self.process = self._start([path, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"], to_read,
                                   to_write)
        os.close(to_read)
        os.close(to_write)
        self.session = None
        self._attach(size)

    @staticmethod
    def _start(command: list[str], to_read: int, to_write: int) -> subprocess.Popen:
        # Chromium reads from descriptor 3 and writes to 4, and either may belong to the other pipe here.
        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        script = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        return subprocess.Popen(["bash", "-c", script, "bash", *command], close_fds=False, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def _attach(self, size) -> None:
        target = next(entry for entry in self.call("Target.getTargets")["targetInfos"] if entry["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(*size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        os.close(self.back)
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def _receive(self) -> dict:
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 16)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **params) -> dict:
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session and not method.startswith("Target."):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self.count:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _note(self, event: dict) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.said.append(" ".join(str(value.get("value")) for value in params["args"]))
        elif event.get("method") == "Log.entryAdded":
            self.said.append(params["entry"]["text"])

    def evaluate(self, script: str):
        """Returns the value of an expression; waits for a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def open(self, page: pathlib.Path) -> None:
        """Returns when the page has loaded and all its scripts have run."""
        self.call("Page.navigate", url=page.absolute().as_uri())
        self.evaluate("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () "
                      "=> done()))")
        self.settle()

    def settle(self) -> None:
        """Waits until the requested drawing is complete."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def press(self, key: str) -> None:
        """Presses a letter, or a key with a name such as 'Enter'."""
        text = key if len(key) == 1 else "\r" if key == "Enter" else ""
        code = CODES.get(key, ord(key.upper()) if len(key) == 1 else 0)
        down = {"type": "keyDown" if text else "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", **down, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def click(self, selector: str) -> None:
        """Returns the middle of the first element of this CSS selector, after scrolling to it."""
        box = self.evaluate(f"(() => {{ const found = document.querySelector({json.dumps(selector)}); "
                            "found.scrollIntoView({ block: 'center' }); const box = found.getBoundingClientRect(); "
                            "return [box.x + Math.min(box.width / 2, 60), box.y + box.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)
        self.settle()

    def prefer(self, scheme: str) -> None:
        """Sets 'light' or 'dark', as the system would."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path: pathlib.Path) -> None:
        """Returns a picture of the window as PNG."""
        self.settle()
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
