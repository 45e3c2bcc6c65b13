#!/usr/bin/env python3
"""Checks that each file includes the headers that declare the types and functions it names, directly or through another
header of the project: includes.py [FOLDER]

Sources that are compiled in one batch (CCGRAPH_UNITY) see each other's headers, so a source that lacks an include
compiles there, and not alone. This test compiles nothing. It reads declarations at namespace scope, and leaves out
names that several headers declare, members, and names that the file itself or its headers declare in some other way. A
variable with arguments that is not the first of its declaration looks like a call: declare it alone. Compiling each
source alone finds the rest.

Of the standard library it checks the headers in STANDARD. The precompiled headers have them all, and a build without
precompiled headers does not; other standard headers come with these or with LLVM's."""
import collections, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "cmake"))
import unity_batches

# Names that belong to other projects.
FOREIGN = re.compile(r"\b(?:llvm|json|std|c10|at|torch|testing|rc|benchmark)::(?:\w+::)*\w+")
TEST_NAMES = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST\w*|INSTANTIATE_\w+)\s*\([^)]*\)")
USED_TYPE = re.compile(r"(?<![\w.])(?<!->)(?<!::)(?:[a-z]\w*::)*([A-Z]\w*[a-z]\w*)\b")
CALLED = re.compile(r"(?<![\w.:~])(?<!->)(?:[a-z]\w*::)*([a-z]\w+)\s*(?:<[^<>();]*>)?\(")

TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?|using|typename)\s+(?:\[\[.*?\]\]\s*)?(\w+)")
FORWARD = re.compile(r"\b(?:struct|class)\s+(\w+)\s*;")
DEFINED = re.compile(r"\b(?:struct|class)\s+(\w+)\s*(?:final\s*)?[:{]")
ENUMERATION = re.compile(r"\benum\s+(?:(?:class|struct)\s+)?\w*[^{;]*\{([^}]*)\}")
# A function, member, parameter or variable: a word behind a type.
NAMED = re.compile(r"(?:[\w>&*\]]\s+[*&]?|[*&>]|\b[A-Z]\w*::)([a-z]\w*)\s*(?=[(={,;)\]:])|\b([a-z]\w+)\s*=")
NO_TYPE = {"return", "else", "throw", "case", "new", "delete"}

# The names by which a use of a standard header is known.
STANDARD = {"atomic": "atomic", "cmath": "ceil exp floor isinf isnan log pow sqrt", "complex": "complex",
            "condition_variable": "condition_variable", "deque": "deque", "functional": "function",
            "limits": "numeric_limits", "map": "map multimap", "mutex": "lock_guard mutex scoped_lock unique_lock",
            "optional": "nullopt optional", "random": "mt19937 mt19937_64", "set": "multiset set",
            "sstream": "istringstream ostringstream stringstream", "thread": "thread",
            "unordered_map": "unordered_map", "variant": "get_if variant visit"}
STANDARD_HEADER = {name: header for header, names in STANDARD.items() for name in names.split()}
STANDARD_NAME = re.compile(r"\bstd::(\w+)")


class File:
    """used: names that need a declaration. named: names that the file declares anywhere. declared: those of them at
    namespace scope, for other files. included: the names of the project's headers in its #include lines. standard:
    (name, header) of what it uses of the standard library. brackets: the names in <> in its #include lines."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        code = unity_batches.DIRECTIVE.sub(" ", unity_batches.bare(text))
        self.declared = {name[0] for part, _ in unity_batches.statements(code)
                         if (name := unity_batches.declared(part))}
        self.named = set(TYPE.findall(code)) | self.declared
        self.declared -= set(FORWARD.findall(code)) - set(DEFINED.findall(code))
        for body in ENUMERATION.findall(code):
            self.named.update(re.findall(r"\b[A-Z]\w*", body))
        for match in NAMED.finditer(code):
            before = re.search(r"(\w+)[\s*&]*$", code[max(0, match.start() - 30):match.start(1)]) if match[1] else None
            if not before or before[1] not in NO_TYPE:
                self.named.add(match[1] or match[2])
        rest = FOREIGN.sub(" ", TEST_NAMES.sub(" ", code))
        self.used = set(USED_TYPE.findall(rest)) | set(CALLED.findall(rest))
        self.standard = {(f"std::{name}", STANDARD_HEADER[name]) for name in STANDARD_NAME.findall(code)
                         if name in STANDARD_HEADER}
        lines = unity_batches.bare(text, keep_strings=True)
        self.included = re.findall(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', lines, re.M)
        self.brackets = set(re.findall(r"^[ \t]*#[ \t]*include[ \t]+<([^>]+)>", lines, re.M))


def missing(root):
    """Yields (file, name, the header that declares it), and last of all the number of files that were read."""
    files = {path: File(path) for top in unity_batches.TOPS for end in ("h", "cuh", "cpp", "cu")
             for path in sorted((root / top).rglob(f"*.{end}"))}
    by_end, declaring = collections.defaultdict(set), collections.defaultdict(set)
    for path, file in files.items():
        if path.suffix in (".h", ".cuh"):
            parts = path.relative_to(root).parts
            for count in range(len(parts)):
                by_end["/".join(parts[count:])].add(path)
            for name in file.declared:
                declaring[name].add(path)

    def headers_of(path):
        for name in files[path].included:
            beside = path.parent / name
            yield from [beside] if beside in files else by_end[name]

    for path, file in files.items():
        # The sources of PyTorch's module use names of PyTorch without a namespace.
        if path.is_relative_to(root / "runtime" / "torch"):
            continue
        known, brackets, seen, left = set(file.named), set(file.brackets), {path}, list(headers_of(path))
        while left:
            if (header := left.pop()) not in seen:
                seen.add(header)
                known |= files[header].named
                brackets |= files[header].brackets
                left += headers_of(header)
        for name in sorted(file.used - known):
            if len(headers := declaring.get(name, ())) == 1:
                yield path.relative_to(root), name, next(iter(headers)).relative_to(root)
        for name, header in sorted(file.standard):
            if header not in brackets:
                yield path.relative_to(root), name, f"<{header}>"
    yield len(files)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT).resolve()
    *found, count = missing(root)
    for path, name, header in found:
        print(f"error: {path} names {name} without the header that declares it; include {header}")
    if count == 0:
        print(f"error: {root} has no sources; give the folder of the project")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
