"""Seeds a bug into a built program: one changed source is compiled into one object, which is linked before the
libraries. In a build with CCGRAPH_UNITY, the object holds the whole batch of that source, or in a quick check the
source alone (Linker.attempts).

A bug is a file: lines `key: value`, then one or more edits, each of a text that occurs once in its file:

    bug: What is wrong.
    file: passes/lib/...      (of the first edit; a further edit begins with `--- file PATH`)
    --- old
    TEXT
    --- new
    TEXT

A header is not a source of its own: the line `through: PATH.cpp` of its file names the source that is compiled with
it.

CCGRAPH_BUILD is the build to start from (build/release), made by ninja; it must be up to date."""
import glob, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "cmake"))
from compiled_files import is_unity, sources_of, with_other_sources
BUILD = os.path.join(ROOT, os.environ.get("CCGRAPH_BUILD", "build/release"))


class Bug:
    def __init__(self, path):
        self.name = os.path.basename(path).removesuffix(".txt")
        self.unseen = self.through = ""
        head, *parts = re.split(r"^--- (file .*|old|new)\n", open(path).read(), flags=re.M)
        for line in head.splitlines():
            key, _, value = line.partition(": ")
            setattr(self, key.replace("pass", "pass_"), value)
        self.edits = []  # (file, old, new)
        file = self.file
        for mark, text in zip(parts[::2], parts[1::2]):
            text = text.removesuffix("\n")
            if mark.startswith("file "):
                file = mark.removeprefix("file ").strip()
            elif mark == "old":
                old = text
            else:
                self.edits.append((file, old, text))

    def sources(self):
        """Returns {file: text with the bug}."""
        texts = {}
        for file, old, new in self.edits:
            text = texts.get(file) or open(os.path.join(ROOT, file)).read()
            times = text.count(old)
            if times != 1:
                raise ValueError(f"{self.name}: its text occurs {times} times in {file}, expected once")
            texts[file] = text.replace(old, new)
        return texts


def read_bugs(folder, names=(), first=None):
    """Returns the bugs whose names contain one of the words, or `first` of these at equal distances."""
    bugs = [Bug(path) for path in sorted(glob.glob(f"{ROOT}/tests/evidence/{folder}/*.txt"))]
    bugs = [bug for bug in bugs if not names or any(name in bug.name for name in names)]
    return bugs[::max(1, len(bugs) // first)][:first] if first else bugs


def apply(bugs):
    """Prints for each bug that no longer applies the reason; returns 1 if there is one."""
    status = 0
    for bug in bugs:
        try:
            bug.sources()
        except (ValueError, FileNotFoundError) as error:
            print(error)
            status = 1
    return status


def words_of(arguments):
    """Returns (names, --first N or None, whether --apply is given)."""
    words = [word for word in arguments if word != "--apply"]
    first = int(words.pop(words.index("--first") + 1)) if "--first" in words else None
    return [word for word in words if word != "--first"], first, "--apply" in arguments


class Linker:
    """The build's own command lines for some programs, run in a temporary folder of its own."""

    def __init__(self, programs):
        self.folder_ = tempfile.TemporaryDirectory()
        self.folder = self.folder_.name
        lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", *programs], text=True, capture_output=True,
                               check=True).stdout.splitlines()
        # Maps each file that is compiled to its command line, and each source to the file in which it is compiled.
        self.compiles = {m[1]: line for line in lines if (m := re.search(r" -c (\S+\.(?:cpp|cxx))$", line))}
        self.compiled_in = {source: file for file in self.compiles for source in sources_of(file)}
        self.made_from = {}  # the build's object for each object that replaces one
        self.links = {program: next(line for line in reversed(lines) if f"-o {program} " in line)
                      for program in programs}

    def run(self, line):
        try:
            subprocess.run(line, shell=True, cwd=BUILD, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise ValueError(f"does not build: {(error.stderr or error.stdout).strip().splitlines()[:3]}") from error

    def attempts(self, quick):
        """Returns whether to compile the sources of a bug alone, for each attempt. To compile a source alone takes a
        quarter of the time of its batch. But the build's object of the batch is then linked too, and its other sources
        may hold copies of a function without the bug; so if too little is detected, the batch is compiled."""
        return (True, False) if quick and any(map(is_unity, self.compiles)) else (False, )

    def objects(self, bug, alone=False):
        """Compiles one object for each source, or for its batch; a header with the bug is found before the build's
        own."""
        texts, headers = bug.sources(), os.path.join(self.folder, bug.name)
        for file in [file for file in texts if file.endswith(".h")]:
            self.write(os.path.join(headers, file.partition("/lib/")[2]), texts.pop(file))
        if bug.through:
            texts.setdefault(bug.through, open(os.path.join(ROOT, bug.through)).read())
        places = {os.path.join(ROOT, file): os.path.join(self.folder, file.replace("/", "-")) for file in texts}
        for file, text in texts.items():
            self.write(places[os.path.join(ROOT, file)], text)
        if alone:
            return [self.compile(self.compiled_in[file], source, places, headers) for file, source in places.items()]
        return [self.object_of(compiled, places, headers)
                for compiled in dict.fromkeys(self.compiled_in[file] for file in places)]

    def object_of(self, compiled, places, headers):
        """Compiles the object of the file `compiled`, with the sources and headers of the bug."""
        source = places.get(compiled)
        if is_unity(compiled):
            source = os.path.join(self.folder, os.path.basename(compiled).removesuffix(".cxx") + ".cpp")
            self.write(source, with_other_sources(compiled, places))
        object_ = self.compile(compiled, source, places, headers)
        self.made_from[object_] = re.search(r" -o (\S+)", self.compiles[compiled])[1]
        return object_

    def compile(self, compiled, source, places, headers):
        """Compiles `source` as the build compiles the file `compiled`; returns its object."""
        object_ = source + ".o"
        folders = "".join(f" -iquote {folder}" for folder in [headers,
                                                              *dict.fromkeys(os.path.dirname(original)
                                                                             for original in places)])
        # The object runs only for a short time, so less optimization, which takes a fifth less time, is faster.
        line = re.sub(r" -c \S+$", f" -O1 -w{folders} -c {source}", self.compiles[compiled])
        line = re.sub(r" -o \S+", f" -o {object_}",
                      re.sub(r" -MF \S+", f" -MF {self.folder}/bug.d", line)).replace(" -Werror", "")
        self.run(line)
        self.made_from.pop(object_, None)
        return object_

    @staticmethod
    def write(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def link(self, program, objects=()):
        """An object of the program itself is replaced. Other objects come first on the command line, so the archive's
        own member of that name is never used, and definitions that several objects contain are those of these
        objects: from a header, or in an object of one source and in that of its batch (muldefs)."""
        linked = os.path.join(self.folder, os.path.basename(program))
        line = self.links[program].replace(f"-o {program} ", f"-Wl,-z,muldefs -o {linked} ")
        for object_ in objects:
            own = f" {self.made_from.get(object_)} "
            line = (line.replace(own, f" {object_} ") if own in line
                    else re.sub(r" (?=\S+\.o )", f" {object_} ", line, count=1))
        self.run(line)
        return linked
