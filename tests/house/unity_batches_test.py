#!/usr/bin/env python3
"""Tests which sources CCGRAPH_UNITY joins: only those whose meaning stays the same."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "cmake"))
import unity_batches


class UnityBatches(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def batches(self, *texts, limit=1000):
        """Returns the batches of sources a, b, c, ... with these texts, as words such as "ab"."""
        names = "abcdefgh"[:len(texts)]
        sources = [unity_batches.Source(self.write(f"lib/{name}.cpp", text)) for name, text in zip(names, texts)]
        return ["".join(os.path.basename(s.path)[0] for s in batch) for batch in unity_batches.batches(sources, limit)]

    def joins(self, *texts):
        return ["".join(sorted(batch)) for batch in self.batches(*texts)] == ["abcdefgh"[:len(texts)]]

    def test_sources_without_common_names_are_joined(self):
        self.assertTrue(self.joins("namespace n {\nnamespace {\nint one() { return 1; }\n}\nint first() { return "
                                   "one(); }\n}\n",
                                   "namespace n {\nnamespace {\nint two() { return 2; }\n}\nint second() { return "
                                   "two(); }\n}\n"))

    def test_functions_of_one_name_are_kept_apart(self):
        self.assertFalse(self.joins("namespace {\nint size(int x) { return x; }\n}\n",
                                    "namespace {\nint size(char x) { return x; }\n}\n"))

    def test_static_functions_and_constants_count(self):
        self.assertFalse(self.joins("static int limit() { return 1; }\n", "static int limit() { return 2; }\n"))
        self.assertFalse(self.joins("namespace {\nconst Kernel table[] = {{1}, {2}};\n}\n",
                                    "namespace {\nconstexpr int table = 1;\n}\n"))

    def test_all_names_of_a_declaration_count(self):
        self.assertFalse(self.joins("namespace {\nconstexpr int most = f(1, 2), limit = 1'000;\n}\n",
                                    "namespace {\nconstexpr int limit = 2;\n}\n"))
        self.assertTrue(self.joins("namespace {\nint f(int a, int limit = 1);\n}\n",
                                   "namespace {\nconstexpr int limit = 2;\n}\n"))

    def test_types_and_aliases_count_outside_of_anonymous_namespaces_too(self):
        self.assertFalse(self.joins("struct Form final : Base {\n  int a;\n};\n", "using Form = int;\n"))
        self.assertFalse(self.joins("namespace j = json;\n", "enum class j { A };\n"))

    def test_a_source_precedes_those_whose_names_it_calls(self):
        local, caller = "namespace {\nint at(char x) { return x; }\n}\n", "int second() { return at(3); }\n"
        self.assertEqual(self.batches(local, caller), ["ba"])
        self.assertEqual(self.batches(caller, local), ["ab"])

    def test_sources_without_an_order_are_kept_apart(self):
        text = "namespace {{\nint {0}(char x) {{ return x; }}\n}}\nint {0}Of() {{ return {1}(3); }}\n"
        names = ("one", "two", "three")
        texts = [text.format(name, other) for name, other in zip(names, names[1:] + names[:1])]
        self.assertEqual(self.batches(*texts[:2]), ["ab"])
        self.assertEqual(self.batches(*texts), ["ab"])

    def test_a_function_that_others_call_keeps_its_name(self):
        shared, local = "int sum(double x) { return x; }\n", "namespace {\nint sum(int x) { return x; }\n}\n"
        self.assertFalse(self.joins(shared, local))
        self.assertFalse(self.joins(local, shared))

    def test_members_are_no_names(self):
        self.assertTrue(self.joins("namespace {\nint size() { return 1; }\n}\n",
                                   "int second(Row &r, Row *p) { return r.size() + p->size() + Row::size(); }\n"))
        self.assertTrue(self.joins("int Row::size() const { return 1; }\n", "int Column::size() const { return 1; }\n"))

    def test_comments_and_strings_are_no_names(self):
        self.assertTrue(self.joins("namespace {\nint word() { return 1; }\n}\n",
                                   "// word\nconst char *second() { return \"word {\"; }\n"))

    def test_template_arguments_are_no_names(self):
        self.assertTrue(self.joins("namespace {\ntemplate <typename T, int N>\nT one(std::map<T, int> x) { return x; "
                                   "}\n}\n",
                                   "namespace {\ntemplate <typename T, int N>\nT two(T x) { return x + N; }\n}\n"))

    def test_other_using_directives_keep_them_apart(self):
        self.assertFalse(self.joins("using namespace a;\nint first();\n", "using namespace b;\nint second();\n"))
        self.assertTrue(self.joins("using namespace a;\nint first();\n", "using namespace a;\nint second();\n"))

    def test_a_source_precedes_those_with_more_using_directives(self):
        self.assertEqual(self.batches("using namespace a;\nint first();\n", "int second();\n",
                                      "using namespace a;\nusing namespace b;\nint third();\n"), ["bac"])

    def test_a_macro_that_stays_defined_keeps_its_source_alone(self):
        self.assertFalse(self.joins("#define ROW(x) x\nint first();\n", "int second();\n"))
        self.assertTrue(self.joins("#define ROW(x) x\nint first();\n#undef ROW\n", "int second();\n"))
        self.assertEqual(self.batches("#define ROW(x) x\nint first();\n#undef ROW\n", "int second() { return ROW; }\n"),
                         ["ba"])

    def test_names_of_headers_that_the_later_source_adds_count(self):
        path = self.write("lib/choice.h", "struct Choice {};\nvoid choose(Choice choice);\n")
        real = unity_batches.headers_by_name
        unity_batches.headers_by_name = lambda: {"choice.h": [path]}
        try:
            local, user = "namespace {\nusing Choice = int;\n}\n", '#include "choice.h"\nint second() { return 2; }\n'
            self.assertFalse(self.joins(local, user))
            self.assertTrue(self.joins(user, "int third();\n"))
        finally:
            unity_batches.headers_by_name = real

    def test_names_that_headers_of_the_earlier_source_declare_count(self):
        path = self.write("lib/members.h", "using Members = std::vector<int>;\n")
        real = unity_batches.headers_by_name
        unity_batches.headers_by_name = lambda: {"members.h": [path]}
        try:
            user, local = '#include "members.h"\nint first() { return 1; }\n', "namespace {\nusing Members = int;\n}\n"
            self.assertFalse(self.joins(user, local))
        finally:
            unity_batches.headers_by_name = real

    def test_the_order_is_that_of_the_target_where_it_may_be(self):
        # a and c are in one folder, and c must not follow b.
        texts = {"lib/a.cpp": "int first();\n", "lib/room/b.cpp": "namespace {\nint at(char x) { return x; }\n}\n",
                 "lib/c.cpp": "int third() { return at(3); }\n"}
        sources = [unity_batches.Source(self.write(name, text)) for name, text in texts.items()]
        self.assertEqual([[os.path.basename(s.path) for s in batch] for batch in unity_batches.batches(sources, 1000)],
                         [["a.cpp", "c.cpp", "b.cpp"]])

    def test_a_batch_holds_no_more_than_the_limit(self):
        text = "int f{0}() {{ return {0}; }}\n"
        self.assertEqual(self.batches(*[text.format(i) for i in range(4)], limit=2 * len(text.format(0))), ["ab", "cd"])

    def test_test_cases_are_no_names(self):
        self.assertTrue(self.joins("TEST(Graph, isEmpty) { EXPECT_TRUE(true); }\n",
                                   "TEST(Node, isEmpty) { EXPECT_TRUE(true); }\n"))


if __name__ == "__main__":
    unittest.main()
