"""Drives the Firefox ESR of Debian by Marionette, the protocol that is built into it.

Playwright drives its own builds of Firefox: of others it asks, by WebDriver BiDi, more than an ESR knows, and it has no
touch there.
"""

from __future__ import annotations

import base64
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tests.patience import PATIENCE
from tests.servers.processes import start, wait_until

FIREFOX = "/usr/bin/firefox-esr"
"""Path in the Debian package of that name; `tests/install_parts.sh` installs it."""

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Shift": "\ue008", "Control": "\ue009"} | {
    f"Arrow{name}": chr(0xE012 + at) for at, name in enumerate(("Left", "Up", "Right", "Down"))
}
"""Keys that type no character, as WebDriver writes them."""

_PREFERENCES = {
    "marionette.port": 0,  # any that is free
    "network.proxy.type": 1,  # all that the browser asks the network for goes to a port at which nothing listens
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}

_LISTEN = """
window.complaints = [];
Services.console.registerListener({observe(message) {
  if (message instanceof Ci.nsIScriptError && /^(file|https?|blob|data):/.test(message.sourceName)) {
    window.complaints.push(message.errorMessage);
  }
}});
"""

USUAL = {"width": 1100, "height": 740, "scheme": "light", "motion": "none", "text": 1, "scripts": True}
"""Usual look of a page: size of the screen, colours, motion (or `"reduce"`), times the usual size of text, scripts."""

_LOOK = """
const [{ width, height, scheme, motion, text, scripts }] = arguments;
const browser = gBrowser.selectedBrowser, page = browser.browsingContext;
Object.assign(browser.style, {width: `${width}px`, height: `${height}px`, flex: "none"});
browser.getBoundingClientRect();
page.prefersColorSchemeOverride = scheme;
page.prefersReducedMotionOverride = motion;
page.textZoom = text;
page.allowJavascript = scripts;
page.touchEventsOverride = "enabled";
"""

_LAID_OUT = """
const [{ width, height, scheme }] = arguments;
const coloured = matchMedia(`(prefers-color-scheme: ${scheme})`);
const shown = () => innerWidth === width && innerHeight === height && coloured.matches;
return new Promise((done) => {
  const wait = () => shown() ? requestAnimationFrame(() => setTimeout(done, 0)) : setTimeout(wait, 5);
  wait();
});
"""

_MIDDLE = """
const [selector] = arguments;
const element = typeof selector === "string" ? document.querySelector(selector) : selector;
if (!element) throw new Error(`nothing is ${selector}`);
element.scrollIntoView({block: "nearest"});
const box = element.getBoundingClientRect();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
const top = document.elementFromPoint(x, y);
if (!element.contains(top)) throw new Error(`${selector} is covered by ${top?.outerHTML.slice(0, 200)}`);
return [x, y];
"""


class Firefox:
    """A browser with one window, and a view of it such as a phone has. Each command waits for its answer."""

    def __init__(self, connection: socket.socket, answers: BinaryIO) -> None:
        """Begin a session."""
        self._socket, self._answers = connection, answers
        self._view = USUAL
        self._read()  # it greets
        self._command("WebDriver:NewSession")
        self._command("WebDriver:SetTimeouts", script=1000 * PATIENCE, pageLoad=1000 * PATIENCE)
        self.inside(_LISTEN)

    def open(self, url: str) -> None:
        """Load a page; return once it is loaded."""
        self._command("WebDriver:Navigate", url=url)
        self._show()  # a page that is loaded has its text as Firefox remembers it for such pages

    def reload(self) -> None:
        """Load the page again."""
        self._command("WebDriver:Refresh")
        self._show()

    def look(self, width: int, height: int = 740, **how: object) -> None:
        """Show pages from now on on a screen of a size in CSS pixels, and otherwise as `how` says, see `USUAL`."""
        self._view = USUAL | how | {"width": width, "height": height}
        self._show()

    def _show(self) -> None:
        self.inside(_LOOK, self._view)
        self.run(_LAID_OUT, self._view)

    def run(self, script: str, *args: object) -> Any:
        """Run the body of a function in the page, whose policy does not apply to it; wait for a promise it returns."""
        return self._command("WebDriver:ExecuteScript", script=script, args=list(args))["value"]

    def inside(self, script: str, *args: object) -> Any:
        """Run the body of a function in the window of the browser itself."""
        self._command("Marionette:SetContext", value="chrome")
        try:
            return self.run(script, *args)
        finally:
            self._command("Marionette:SetContext", value="content")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true in the page."""
        self.run(
            "return new Promise((done) => {"
            f" const look = () => ({condition}) ? done() : setTimeout(look, 20); look();"
            "})"
        )

    def complaints(self) -> list[str]:
        """Return errors, warnings and violations of a policy in pages since the last call."""
        self.run("return new Promise((done) => setTimeout(done, 20))")  # they come from another process
        found: list[str] = self.inside("return window.complaints.splice(0)")
        return found

    def touch(self, *points: tuple[float, float], rest: int = 0) -> None:
        """Lay a finger on a point, rest some milliseconds, slide it over the other points, and lift it."""
        (x, y), *others = points
        moves = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}]
        moves += [{"type": "pause", "duration": rest}] if rest else []
        moves += [{"type": "pointerMove", "x": x, "y": y, "duration": 20} for x, y in others]
        moves += [{"type": "pointerUp", "button": 0}]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": moves}
        self._command("WebDriver:PerformActions", actions=[finger])

    def tap(self, selector: str) -> None:
        """Tap the middle of an element; fail if it is out of view or something else is there."""
        self.touch(self.run(_MIDDLE, selector))

    def press(self, *keys: str) -> None:
        """Press keys one after the other; `Control+z` holds the first while the last is pressed."""
        moves = []
        for key in keys:
            held = [KEYS.get(each, each) for each in (key.split("+") if len(key) > 1 else [key])]
            moves += [{"type": "keyDown", "value": each} for each in held]
            moves += [{"type": "keyUp", "value": each} for each in reversed(held)]
        self._command("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": moves}])

    def screenshot(self, path: Path) -> None:
        """Write what is on the screen as a PNG."""
        path.write_bytes(base64.b64decode(self._command("WebDriver:TakeScreenshot", full=False)["value"]))

    def _command(self, name: str, **params: object) -> dict[str, Any]:
        content = json.dumps([0, 0, name, params]).encode()
        self._socket.sendall(b"%d:%b" % (len(content), content))
        _, _, error, result = self._read()
        if error:
            raise AssertionError(f"{name}: {error['error']}: {error['message']}\n{error['stacktrace']}")
        return result or {}

    def _read(self) -> Any:
        length = b""
        while (digit := self._answers.read(1)) != b":":
            if not digit:
                raise ConnectionError("Firefox has ended")
            length += digit
        return json.loads(self._answers.read(int(length)))


@contextmanager
def running_firefox(folder: Path) -> Iterator[Firefox]:
    """Yield a browser with a new profile in a folder that exists; it ends with the block."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _PREFERENCES.items()]
    (folder / "user.js").write_text("".join(lines))
    command = (FIREFOX, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile")
    environment = os.environ | {"HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"}
    daemon = start((*command, folder), folder / "log", env=environment)
    try:
        port = folder / "MarionetteActivePort"
        wait_until(lambda: port.exists() and port.read_text().isdigit(), daemon, "Firefox")
        address = ("127.0.0.1", int(port.read_text()))
        with socket.create_connection(address, PATIENCE) as connection, connection.makefile("rb") as answers:
            yield Firefox(connection, answers)
    finally:
        daemon.stop()
