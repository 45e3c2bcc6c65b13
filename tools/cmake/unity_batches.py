#!/usr/bin/env python3
"""Divides the sources of targets into batches that are compiled as one file each: unity_batches.py LIMIT < SOURCES

It reads lines `target path`. It prints `target batch path` for each source that shares a batch with another one, in
the order of the sources in their batch. The sources of a batch have at most LIMIT bytes together without their
comments, so that a compiler needs only seconds and little memory for a batch.

Sources share a batch only if an order of them cannot change the meaning of any. For each two sources:
- They declare no name twice at namespace scope (functions of anonymous namespaces, types, constants, macros).
- The first source declares no such name that the second one uses, so that no call finds another overload. The
  headers of the second source count as well, if the first one does not include them.
- The headers that only the first source includes declare no such name of the second one.
- The second source has all using-directives at namespace scope that the first one has.
A source that defines macros for the headers that it includes stays alone."""
import functools
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOPS = ("ir", "frontend", "passes", "runtime", "tools", "tests")

COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
NAMESPACE = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[\w:\s]*|extern\s*\"\s*\")$")
IDENTIFIER = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
DECLARED = (
    re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+"
               r"(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:final\b\s*)?(?::[^:].*)?$", re.S),
    re.compile(r"\b(?:using|namespace)\s+(\w+)\s*=", re.S),
)
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST\w*|INSTANTIATE_\w+|RC_GTEST\w*|BENCHMARK\w*)\s*\(", re.S)
QUALIFIED = re.compile(r"(?:::\s*~?\w+|\boperator\b[^(]*|~\w+)\s*$")


def bare(text, keep_strings=False):
    """Returns the text without comments, and with empty strings unless they are kept."""
    return COMMENT_OR_STRING.sub(lambda m: " " if m[0].startswith("/") else m[0] if keep_strings else '""', text)


def statements(code):
    """Returns (declaration, whether it is in an anonymous namespace) for each declaration at namespace scope, without
    its body."""
    depth, start, found, head, namespaces = 0, 0, [], "", []
    for match in re.finditer(r"[{};]", code):
        mark, text = match[0], code[start:match.start()]
        if mark == "{" and depth == 0 and NAMESPACE.match(text):
            namespaces.append(re.search(r"\bnamespace\s*$", text) is not None)
            start = match.end()
        elif mark == "{":
            head = text if depth == 0 else head
            depth += 1
        elif mark == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                found.append((head, any(namespaces)))
                start = match.end()
        elif mark == "}" and namespaces:
            namespaces.pop()
            start = match.end()
        elif mark == ";" and depth == 0:
            found.append((text, any(namespaces)))
            start = match.end()
    return found


def outside_brackets(statement):
    """Returns the statement without attributes, template heads and template arguments."""
    statement = re.sub(r"\[\[.*?\]\]", " ", statement, flags=re.S)
    kept, depth, previous = [], 0, ""
    for word in re.findall(r"\w+|->|<=>|\S|\s+", statement):
        if word == "<" and (depth or previous != "operator"):
            depth += 1
        elif word == ">" and depth:
            depth -= 1
        elif depth == 0:
            kept.append(word)
        previous = word if word.strip() else previous
    return "".join(kept)


def declared(statement):
    """Returns (name, whether it is a type or an alias) of a declaration at namespace scope; None if it declares no
    name."""
    statement = statement.strip()
    if not statement or TEST.match(statement) or re.match(r"using\s+namespace\b|using\s+[\w:]+$|static_assert\b",
                                                          statement):
        return None
    head = (outside_brackets(statement).replace("template", " ", 1) if statement.startswith("template")
            else outside_brackets(statement))
    for pattern in DECLARED:
        if match := pattern.search(head):
            return match[1], True
    head = re.split(r"[(=\[]", head, maxsplit=1)[0]
    if QUALIFIED.search(head):
        return None
    words = re.findall(r"\w+", head)
    return (words[-1], False) if len(words) > 1 else None


def further_names(statement):
    """Returns the names after the first one of a declaration of several variables."""
    words = outside_brackets(statement)
    if re.match(r"[^=]*\(|\s*(?:using|typedef|template|enum)\b", words):
        return []
    while (inner := re.sub(r"\([^()]*\)|\[[^][]*\]", " ", words)) != words:
        words = inner
    return re.findall(r",\s*[*&]?\s*(\w+)\s*(?=[=,]|$)", words)


@functools.lru_cache(None)
def headers_by_name():
    """Returns {name in an include: the project's headers that it may mean}."""
    found = {}
    for path in (p for top in TOPS for p in glob.glob(f"{ROOT}/{top}/**/*.h", recursive=True)):
        name = re.sub(r"^.*/(?:lib|include)/", "", path)
        for inside in {name, re.sub(r"^(?:tools|tests)/(?:capi/)?", "", os.path.relpath(path, ROOT))}:
            found.setdefault(inside, []).append(path)
    return found


@functools.lru_cache(None)
def header(path):
    """Returns (names that the header uses, names that it declares at namespace scope, headers that it includes)."""
    with open(path, encoding="utf-8") as f:
        text = bare(f.read(), keep_strings=True)
    code = DIRECTIVE.sub(" ", bare(text))
    names = {declared(part) for part, _ in statements(code)} - {None}
    return frozenset(IDENTIFIER.findall(code)), frozenset(name for name, _ in names), included(text)


def included(text):
    names = re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, re.M)
    return [path for name in names for path in headers_by_name().get(name, [])]


def all_headers(text):
    """Returns the project's headers that a source with this text includes, directly or indirectly."""
    found, left = set(), included(text)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += header(path)[2]
    return found


class Source:
    """The properties that decide whether a source may share a batch.

    local: names that only this source has. shared: functions that other sources call. uses: names without a
    qualifier."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as f:
            whole = f.read()
        text = bare(whole)
        self.headers = all_headers(bare(whole, keep_strings=True))
        code = DIRECTIVE.sub(" ", text)
        self.size = len(text)
        defined = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M)
        undefined = re.findall(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", text, re.M)
        self.alone = sorted(set(defined)) != sorted(set(undefined))
        parts = statements(code)
        self.using = frozenset(" ".join(part.split()) for part, _ in parts if re.match(r"\s*using\s+namespace\b", part))
        self.local, self.shared = set(defined), set()
        for part, anonymous in parts:
            name, type_ = declared(part) or ("", False)
            hidden = anonymous or type_ or re.match(r"\s*(?:inline\s+)?(?:static|const|constexpr)\b",
                                                    outside_brackets(part))
            (self.local if hidden else self.shared).update([name, *further_names(part)] if name else [])
        self.uses = set(IDENTIFIER.findall(code)) | set(defined)

    @functools.lru_cache(None)
    def follows(self, earlier):
        """Returns whether this source has the same meaning after `earlier`."""
        if earlier.local & self.uses or earlier.shared & self.local or not earlier.using <= self.using:
            return False
        return (not any(earlier.local & header(path)[0] for path in self.headers - earlier.headers) and
                not any(self.local & header(path)[1] for path in earlier.headers - self.headers))


def ordered(sources):
    """Returns the sources in an order in which each keeps its meaning, the given one if possible; None if there is no
    such order."""
    left, made = list(sources), []
    while left:
        first = next((s for s in left if all(other.follows(s) for other in left if other is not s)), None)
        if first is None:
            return None
        left.remove(first)
        made.append(first)
    return made


def union(first, second, limit):
    """Returns the sources of two batches in an order in which they are one batch; None if they are not."""
    return ordered(first + second) if sum(s.size for s in first + second) <= limit else None


def joined(parts, limit, near):
    """Returns the parts joined to batches: each part joins the first earlier batch that it fits and that is `near`
    it."""
    made = []
    for part in parts:
        for number, batch in enumerate(made):
            if near(batch, part) and (whole := union(batch, part, limit)):
                made[number] = whole
                break
        else:
            made.append(part)
    return made


def folder(batch):
    return os.path.dirname(batch[0].path)


def batches(sources, limit):
    """Returns lists of sources: first joins the sources of one folder, then small remaining batches of any folder."""
    parts = [[source] for source in sources if not source.alone]
    parts = joined(parts, limit, lambda batch, part: folder(batch) == folder(part))
    parts = joined(parts, limit, lambda batch, part: sum(s.size for s in part) < limit / 2)
    return [batch for batch in parts if len(batch) > 1]


def main():
    limit = int(sys.argv[1])
    targets = {}
    for line in filter(str.strip, sys.stdin):
        target, path = line.split()
        targets.setdefault(target, []).append(path)
    for target, paths in targets.items():
        for number, batch in enumerate(batches([Source(path) for path in paths], limit)):
            for source in batch:
                print(target, number, source.path)


if __name__ == "__main__":
    main()
