"""Returns the sources in a compiled file: the file itself, or with CCGRAPH_UNITY the sources that it includes."""
import re

INCLUDE = re.compile(r'^#include "(/[^"]+)"$', re.M)


def is_unity(path):
    return re.search(r"/CMakeFiles/[^/]+[.]dir/Unity/unity_[^/]+[.]cxx$", path) is not None


def sources_of(path):
    return INCLUDE.findall(open(path).read()) if is_unity(path) else [path]


def with_other_sources(path, places):
    """Returns the text of a unity file with the path of each source replaced by its entry in `places`."""
    return INCLUDE.sub(lambda m: f'#include "{places.get(m[1], m[1])}"', open(path).read())
