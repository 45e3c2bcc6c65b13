#!/usr/bin/env python3
"""Tests a report in headless Chromium: its content, and the effects of keys, clicks and colors.

    report_page.py CCGRAPH_OPT TRACES GRAPH...

TRACES is a folder with a graph.py and the traces of its ranks; it is shown beside the predicted schedule.

Exits with 77 if there is no Chromium (CCGRAPH_CHROMIUM, chromium or google-chrome), which ctest counts as skipped;
with CCGRAPH_VIEWS_TESTS=1, this is a failure.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import chromium

ROWS = 400
TABLES = {"table": ("filter", "count"), "exposedTable": ("exposedFilter", "exposedCount"),
          "adviceTable": ("adviceFilter", "adviceCount"),
          "remarkTable": ("remarkFilter", "remarkCount")}


def dataOf(text: str) -> dict:
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))


# Zooms so that the line of the bound is below the title of its plot, and returns the texts that its name overlaps.
TEXTS_OVER_BOUND = """(() => {
  const { from, to } = view, bound = page.bounds.merging.ns, texts = [];
  pen.fillText = (text, x, y) => {
    const width = pen.measureText(text).width, before = { right: width, center: width / 2 }[pen.textAlign] ?? 0;
    const left = x - before;
    texts.push({ text, left, right: left + width, y });
  };
  view.from = bound * 0.99, view.to = bound * 1.2;
  redraw();
  delete pen.fillText;
  view.from = from, view.to = to;
  redraw();
  const name = texts.find(it => it.text === 'bound');
  const isOver = it => Math.abs(it.y - name.y) < 9 && it.left < name.right && it.right > name.left;
  return name ? texts.filter(it => it !== name && isOver(it)).map(it => it.text) : ['no name of the bound'];
})()"""


class Page:
    """One open report, and its errors."""

    def __init__(self, browser: chromium.Browser, path: pathlib.Path):
        self.browser, self.path, self.found = browser, path, []
        self.text = path.read_text()
        self.data = dataOf(self.text)
        browser.said.clear()
        browser.open(path)

    def expect(self, what: str, got, expected) -> None:
        if got != expected:
            self.found.append(f"{what}: got {got!r}, expected {expected!r}")

    def cells(self, table: str, column: int) -> list[str]:
        return self.browser.evaluate(f"[...document.querySelectorAll('#{table} tbody tr')].map(row => "
                                     f"row.cells[{column}].textContent)")

    def inner(self, name: str) -> str:
        return self.browser.evaluate(f"document.getElementById('{name}').textContent")

    # --- Content ---

    def checkWhole(self) -> None:
        links = re.findall(r'(?:src|href)="(?!#)[^"]*"|url\([^)]*\)|@import[^;]*', self.text)
        self.expect("what the page loads", links, [])
        self.expect("the end of the script", bool(self.browser.evaluate("document.documentElement.dataset.ready")),
                    True)
        transfers = len(self.data["schedules"][-1]["transfers"])
        rows = {"table": transfers, "exposedTable": len(self.data["exposures"]),
                "adviceTable": len(self.data["advice"]),
                "remarkTable": len(self.data["remarks"]), "boundTable": 3 if self.data["bounds"] else 0}
        for table, count in rows.items():
            self.expect(f"rows of {table}", len(self.cells(table, 0)), min(count, ROWS))
        self.expect("the count of collectives", self.inner("count").startswith(f"{transfers:,} of {transfers:,}, "),
                    True)

    def checkBounds(self) -> None:
        self.expect("bounds are hidden", self.browser.evaluate("document.getElementById('bounds').hidden"),
                    not self.data["bounds"])
        if not self.data["bounds"]:
            return
        bound = self.data["bounds"]["merging"]
        self.expect("the bound is no more than the step", bound["ns"] <= self.data["schedules"][-1]["total"], True)
        self.expect("who holds the step", self.cells("boundTable", 3 + len(self.data["schedules"]))[0],
                    f"group {bound['group']}" if bound["group"] else "computation")
        self.expect("the verdict has the bound", "No order is faster than" in self.inner("verdict"), True)
        self.expect("texts over the name of the bound", self.browser.evaluate(TEXTS_OVER_BOUND), [])

    def checkAdvice(self) -> None:
        commands = self.cells("adviceTable", 4)
        self.expect("the commands", sorted(commands), sorted(advice["command"] for advice in self.data["advice"]))
        self.expect("they are of ccgraph-opt", all(command.startswith("ccgraph-opt ") for command in commands), True)

    # The exposed times of all rows add up to that of the schedule, so none is left out; each is rounded down to
    # nanoseconds.
    def checkExposed(self) -> None:
        if not self.data["bounds"]: # because without a pass nothing is predicted but the times
            return
        schedule = self.data["schedules"][-1]
        told = sum(schedule["transfers"][row[0]][10] for row in self.data["exposures"])
        self.expect("all exposed time is explained", abs(told - schedule["exposed"]) <= 2 * len(schedule["transfers"]),
                    True)

    # --- Mouse and keyboard ---

    def sort(self, table: str, title: str) -> None:
        # Clicks from a script, because the column may be outside the window.
        self.browser.evaluate(f"[...document.querySelectorAll('#{table} th button')].find(it => "
                              f"it.textContent.startsWith('{title}')).click()")

    def checkSorting(self) -> None:
        bytesOf = "exposedList.shown.map(e => e.transfer.bytes)"
        for _ in range(2):
            self.sort("exposedTable", "bytes")
            shown = self.browser.evaluate(bytesOf)
            down = self.browser.evaluate("exposedList.down")
            self.expect(f"bytes sorted, down {down}", shown, sorted(shown, reverse=down))
        self.sort("exposedTable", "exposed")
        self.expect("aria-sort", self.browser.evaluate(
                                                       "document.querySelector('#exposedTable "
                                                       "[aria-sort=descending]').textContent"),
                    "exposed, µs ▾")

    # The first word of a table's first row must find that row, and a word that no row has must find none.
    def checkFilters(self) -> None:
        for table, (field, count) in TABLES.items():
            every = self.cells(table, 0)
            if not every:
                continue
            word = self.cells(table, 4 if table == "remarkTable" else 0)[0]
            self.filter(field, word)
            left = self.cells(table, 4 if table == "remarkTable" else 0)
            self.expect(f"{table} filtered by its first row", word in left and len(left) <= len(every), True)
            self.filter(field, "nothing has this name")
            self.expect(f"{table} filtered by what is not there", len(self.cells(table, 0)), 0)
            self.filter(field, "")
            self.expect(f"{table} without a filter again", len(self.cells(table, 0)), len(every))
            self.expect(f"{count} says how many", bool(self.inner(count)), True)

    def filter(self, field: str, text: str) -> None:
        self.browser.evaluate(f"(() => {{ const input = document.getElementById('{field}'); input.value = "
                              f"{json.dumps(text)}; "
                              "input.dispatchEvent(new Event('input')); })()")

    # A click and Enter on a row must open its collective in the timeline; Escape must close it.
    def checkOpening(self) -> None:
        name = self.cells("exposedTable", 0)[0]
        window = self.window()
        self.browser.click("#exposedTable tbody tr")
        self.expect("the story after a click", self.inner("story").startswith(name + " "), True)
        self.expect("the story ends with its causes", "Its beginning: " in self.inner("story"), True)
        self.expect("the timeline has gone there", self.window() != window, True)
        self.expect("the row is marked",
                    self.browser.evaluate("document.querySelectorAll('#exposedTable .chosen').length"), 1)
        self.browser.press("Escape")
        self.expect("Escape hides the story", self.browser.evaluate("document.getElementById('story').hidden"), True)
        self.browser.evaluate("document.querySelector('#exposedTable tbody tr').focus()")
        self.browser.press("Enter")
        self.expect("the story after Enter", self.inner("story").startswith(name + " "), True)
        self.browser.press("Escape")

    def window(self) -> list[float]:
        return self.browser.evaluate("[view.from, view.to]")

    def checkKeys(self) -> None:
        self.browser.press("n")
        self.expect("n shows the worst", self.inner("story").startswith(self.cells("exposedTable", 0)[0] + " "), True)
        self.browser.evaluate("canvas.focus()")
        self.browser.press("0")
        whole = self.window()
        self.browser.press("+")
        closer = self.window()
        self.expect("+ zooms in", closer[1] - closer[0] < whole[1] - whole[0], True)
        self.browser.press("ArrowRight")
        self.expect("an arrow moves", self.window()[0] > closer[0], True)
        self.browser.press("0")
        self.expect("0 shows all", self.window(), whole)
        self.browser.press("/")
        self.expect("/ goes to the filter", self.browser.evaluate("document.activeElement.id"), "filter")
        self.browser.press("Escape")
        self.browser.evaluate("document.activeElement.blur()")

    # All pixels of the timeline are checked too, since a canvas does not use the colors of the style automatically.
    def checkColours(self) -> None:
        corner = "[getComputedStyle(document.body).backgroundColor, ...pen.getImageData(2, 2, 1, 1).data].join(' ')"
        seen = {}
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            seen[scheme] = self.browser.evaluate(corner)
        self.expect("light", seen["light"], "rgb(255, 255, 255) 255 255 255 255")
        self.expect("dark", seen["dark"], "rgb(20, 23, 27) 20 23 27 255")
        self.browser.evaluate("document.getElementById('theme').click()")
        self.expect("the button", self.browser.evaluate(corner), seen["light"])
        self.browser.prefer("light")

    # --- The measured step ---

    # Moves the pointer to the middle of the longest item of this color and returns what the page then shows.
    def tipAt(self, color: str) -> str:
        middle = (f"(() => {{ const plot = plots[plots.length - 1]; let best = null; plot.rows.forEach((row, index) => "
                  f"row.items.forEach(item => {{ if (item.color === '{color}' && (!best || item.end - item.begin > "
                  "best.length)) best = { length: item.end - item.begin, x: xOf((item.begin + item.end) / 2), "
                  "y: rowTop(plot, index) + ROW / 2 }; })); canvas.scrollIntoView({ block: 'end' }); "
                  "const box = canvas.getBoundingClientRect(); return [box.x + best.x, box.y + best.y]; })()")
        x, y = self.browser.evaluate(middle)
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.browser.settle()
        return self.inner("tip")

    def pixelOf(self, color: str) -> bool:
        """Returns whether the canvas has a pixel of this color at or below the measured step."""
        return self.browser.evaluate(
            "(() => { const top = plots[plots.length - 1].top, height = canvas.height - top; "
            "const copy = document.createElement('canvas'); copy.width = canvas.width; copy.height = height + 1; "
            "const of = copy.getContext('2d', { willReadFrequently: true }); of.drawImage(canvas, 0, -top); "
            f"of.fillStyle = colors['{color}']; of.fillRect(0, height, 1, 1); "
            "const want = of.getImageData(0, height, 1, 1).data, all = of.getImageData(0, 0, copy.width, height).data; "
            "for (let i = 0; i < all.length; i += 4) "
            "if (all[i] === want[0] && all[i + 1] === want[1] && all[i + 2] === want[2]) return true; "
            "return false; })()")

    def checkMeasured(self) -> None:
        measured = self.data["measured"]
        names = self.browser.evaluate("plots.map(plot => plot.name)")
        self.expect("the measured step is below the others", names[-1], "measured")
        titles = self.browser.evaluate("plots[plots.length - 1].rows.map(row => row.title).filter(title => title)")
        self.expect("a row of each rank", titles, [f"rank {rank['rank']}" for rank in measured["ranks"]])
        self.expect("the legend", "measured: waiting for the last rank" in self.inner("legend"), True)
        node, kind = measured["collectives"][0][:2]
        for color, title in (("late", "waiting for the last rank at "), ("idle", "waiting for data at ")):
            self.expect(f"color of {color}", self.pixelOf(color), True)
            tip = self.tipAt(color)
            self.expect(f"the tip of {color} begins with", tip[:len(title)], title)
            self.expect(f"the tip of {color} has the medians", "until the last rank arrives" in tip, True)
        self.expect("the tip of a transfer", f"{kind} on ranks" in self.tipAt(kind), True)
        self.expect("the tip of a transfer has its name", self.tipAt(kind).startswith(node), True)

    def problems(self) -> list[str]:
        self.checkWhole()
        self.checkBounds()
        self.checkAdvice()
        self.checkExposed()
        self.checkFilters()
        if self.data["measured"]:
            self.checkMeasured()
        if self.data["exposures"]:
            self.checkSorting()
            self.checkOpening()
            self.checkKeys()
        self.expect("what the console says", self.browser.said, [])
        self.checkColours()
        print(f"{self.path.name}: {len(self.text) / 1e6:.2f} MB, {len(self.data['exposures'])} exposed, "
              f"{len(self.data['advice'])} lines of advice")
        return self.found


def main(tool: str, traces: str, graphs: list[str]) -> int:
    path = chromium.find()
    if not path:
        print("no Chromium (CCGRAPH_CHROMIUM names one)")
        return 1 if os.environ.get("CCGRAPH_VIEWS_TESTS") == "1" else 77
    status = 0
    with tempfile.TemporaryDirectory() as folder, chromium.Browser(path) as browser:
        measured = [f"{traces}/graph.py", "-O2", "--measured", traces, "--machine", "cpu"]
        for graph, level, *flags in [measured, (graphs[0], "-O0"), *((graph, "-O2") for graph in graphs)]:
            page = pathlib.Path(folder, pathlib.Path(graph).parent.name + level + ".html")
            subprocess.run([tool, graph, level, *flags, "--report", str(page)], check=True, stdout=subprocess.DEVNULL)
            for problem in Page(browser, page).problems():
                print(f"{graph} {level}: error: {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
