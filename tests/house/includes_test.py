#!/usr/bin/env python3
"""Tests which names includes.py misses a header for, and which it leaves alone."""
import pathlib, tempfile, unittest

import includes

HEADER = "namespace n {\nclass Shape {};\nenum class Unit { Byte, Element };\nint rankOf(const Shape &shape);\n}\n"


class Includes(unittest.TestCase):
    def missing(self, **files):
        """Returns "file:name" of what is missing in files of these texts beside ir/shape.h."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"shape_h": HEADER, **files}.items():
                path = pathlib.Path(folder, "ir", name.replace("_", "."))
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            *found, count = includes.missing(pathlib.Path(folder))
            self.assertEqual(count, 1 + len(files))
            return [f"{path.name}:{name}" for path, name, _ in found]

    def test_a_type_and_a_function_need_their_header(self):
        self.assertEqual(self.missing(a_cpp="int size(Shape s) { return rankOf(s); }\n"),
                         ["a.cpp:Shape", "a.cpp:rankOf"])
        self.assertEqual(self.missing(a_cpp="n::Unit unit;\n"), ["a.cpp:Unit"])
        self.assertEqual(self.missing(a_cpp="int a = n::rankOf(s);\n"), ["a.cpp:rankOf"])
        self.assertEqual(self.missing(a_cpp="int a = f(b(), rankOf<int>(s));\n"), ["a.cpp:rankOf"])

    def test_the_header_of_another_source_does_not_count(self):
        self.assertEqual(self.missing(a_cpp='#include "shape.h"\nShape a;\n', b_cpp="Shape b;\n"), ["b.cpp:Shape"])

    def test_a_header_needs_its_own_includes(self):
        self.assertEqual(self.missing(b_h="struct Box { Shape shape; };\n"), ["b.h:Shape"])

    def test_a_header_through_another_one_counts(self):
        self.assertEqual(self.missing(b_h='#include "shape.h"\n', a_cpp='#include "b.h"\nShape a;\n'), [])

    def test_a_comment_does_not_include(self):
        self.assertEqual(self.missing(a_cpp='// #include "shape.h"\nShape a;\n'), ["a.cpp:Shape"])

    def test_names_of_the_file_itself_need_no_header(self):
        for text in ("struct Shape;\nShape *a;\n", "template <typename Shape> int f(Shape s);\n",
                     "enum class Kind { Shape };\n", "auto f = [](int rankOf) { return 1; };\nint g = rankOf(2);\n",
                     "int C::rankOf() { return rankOf(); }\n"):
            self.assertEqual(self.missing(a_cpp=text), [], text)

    def test_members_and_other_namespaces_need_no_header(self):
        for text in ("int a = box.rankOf(1) + box->rankOf(2);\n", "llvm::Shape a;\nint b = std::rankOf(1);\n",
                     "int a = Kind::Shape;\n", "TEST(Shape, IsSmall) {}\n", 'auto a = "Shape rankOf()";\n'):
            self.assertEqual(self.missing(a_cpp=text), [], text)

    def test_a_name_of_two_headers_is_left_out(self):
        self.assertEqual(self.missing(b_h="class Shape {};\n", a_cpp="Shape a;\n"), [])

    def test_a_forward_declaration_is_no_second_header(self):
        self.assertEqual(self.missing(b_h="class Shape;\n", a_cpp="Shape a;\n"), ["a.cpp:Shape"])
        self.assertEqual(self.missing(b_h="class Shape;\n", a_cpp='#include "b.h"\nShape *a;\n'), [])

    def test_a_header_of_the_standard_library(self):
        self.assertEqual(self.missing(a_cpp="std::map<int, int> a;\n"), ["a.cpp:std::map"])
        self.assertEqual(self.missing(a_cpp="#include <map>\nstd::map<int, int> a;\n"), [])
        self.assertEqual(self.missing(b_h="#include <map>\n", a_cpp='#include "b.h"\nstd::map<int, int> a;\n'), [])
        self.assertEqual(self.missing(a_cpp="std::size_t a;\n"), [])

    def test_files_of_the_device_are_read(self):
        self.assertEqual(self.missing(b_cuh="enum class Reduction { Sum };\n", a_cu="Reduction r;\n"),
                         ["a.cu:Reduction"])


if __name__ == "__main__":
    unittest.main()
