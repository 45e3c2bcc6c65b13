#!/usr/bin/env python3
"""Headless Chromium loads a report without an error, and its tables have a row for each collective.

    report_page.py CCGRAPH_OPT GRAPH...

Exits with 77 where there is no Chromium (CCGRAPH_CHROMIUM, chromium or google-chrome), which ctest counts as skipped; with
CCGRAPH_VIEWS_TESTS=1 that is a failure.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WORDS = ("CCGRAPH_CHROMIUM", "chromium", "chromium-browser", "google-chrome")


def browser() -> str | None:
    named = os.environ.get(WORDS[0])
    return named or next((path for path in map(shutil.which, WORDS[1:]) if path), None)


def load(chromium: str, page: pathlib.Path, folder: str) -> tuple[str, str]:
    """The document after all scripts have run, and what was said meanwhile."""
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
               f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000", "--window-size=1400,2000", "--dump-dom",
               page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def dataOf(text: str) -> dict:
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))


def bodyOf(document: str, table: str) -> str:
    found = re.search(rf'<table id="{table}">.*?<tbody>(.*?)</tbody>', document, re.S)
    return found.group(1) if found else ""


def problems(page: pathlib.Path, chromium: str, folder: str) -> list[str]:
    text = page.read_text()
    found = [f"the page loads {link}" for link in re.findall(r'(?:src|href)="(?!#)[^"]*"|url\([^)]*\)|@import[^;]*', text)]
    data = dataOf(text)
    document, said = load(chromium, page, folder)
    if said:
        found.append(f"the console says {said}")
    ready = re.search(r'data-ready="(\d+)"', document)
    if not ready:
        return found + ["the script did not come to its end"]
    transfers = len(data["schedules"][-1]["transfers"])
    rows = bodyOf(document, "table").count("<tr ")
    print(f"{page.name}: {len(text) / 1e6:.2f} MB, {rows} rows of {transfers}")
    if rows != min(transfers, 400):
        found.append(f"{rows} rows of collectives, expected {min(transfers, 400)}")
    if f'{transfers:,} of {transfers:,}' not in document:
        found.append(f"the count does not say {transfers:,} of {transfers:,}")
    remarks = bodyOf(document, "remarkTable").count("<tr")
    if remarks != min(len(data["remarks"]), 400):
        found.append(f"{remarks} rows of remarks, expected {min(len(data['remarks']), 400)}")
    return found


def main(tool: str, graphs: list[str]) -> int:
    chromium = browser()
    if not chromium:
        print("no Chromium (CCGRAPH_CHROMIUM names one)")
        return 1 if os.environ.get("CCGRAPH_VIEWS_TESTS") == "1" else 77
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for graph in graphs:
            page = pathlib.Path(folder, pathlib.Path(graph).parent.name + ".html")
            subprocess.run([tool, graph, "--report", str(page)], check=True, stdout=subprocess.DEVNULL)
            for problem in problems(page, chromium, folder):
                print(f"{graph}: error: {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
