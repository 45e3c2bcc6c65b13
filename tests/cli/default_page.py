#!/usr/bin/env python3
"""Checks that `ccgraph report` without -o replaces no file, and writes the same bytes twice: default_page.py BIN"""
import os, subprocess, sys, tempfile

os.environ["PATH"] = os.path.abspath(sys.argv[1]) + os.pathsep + os.environ["PATH"]
failures = []


def run(folder, command, code):
    done = subprocess.run(["bash", "-c", command], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != code:
        failures.append(f"'{command}' exits with {done.returncode}, expected {code}: {done.stderr}")
    return done.stderr


with tempfile.TemporaryDirectory() as folder:
    page = os.path.join(folder, "report.html")
    run(folder, "ccgraph gen llama3-8b --layers 1 --seq 1024 --fsdp 2 -o graph.json && ccgraph report graph.json", 0)
    if not os.path.exists(page):
        failures.append("there is no report.html after ccgraph report")
    with open(page, "w") as file:
        file.write("a page of the user")
    error = run(folder, "ccgraph report graph.json", 2)
    if "report.html is here already" not in error:
        failures.append(f"the error is '{error}', expected the name of the page")
    with open(page) as file:
        if file.read() != "a page of the user":
            failures.append("report.html was replaced")
    run(folder, "ccgraph report graph.json -o report.html", 0)
    with open(page) as file:
        if file.read() == "a page of the user":
            failures.append("-o report.html did not replace the page")
    run(folder, "ccgraph report graph.json -o again.html", 0)
    with open(page, "rb") as file, open(os.path.join(folder, "again.html"), "rb") as again:
        if file.read() != again.read():
            failures.append("two runs of ccgraph report wrote different bytes")
print("\n".join(failures) or "a page without a name replaces no file, and two pages of one graph are equal")
sys.exit(1 if failures else 0)
