// Tests legality between groups that are not proved different: no merge and no reordering is legal.
#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral inputs = R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu", mesh, pg)";

/// Collectives a and b with their waits, each on a literal group or on a group that a preceding line makes.
std::string twoOn(const std::string &makers, const std::string &first, const std::string &second) {
  auto launch = [](const std::string &name, const std::string &input, const std::string &group) {
    return "  " + name + ": \"f32[8][1]cpu\" = torch.ops._c10d_functional.all_reduce.default(" + input + ", 'sum', " +
           group + ")\n";
  };
  auto wait = [](const std::string &name, const std::string &launch) {
    return "  " + name + ": \"f32[8][1]cpu\" = torch.ops._c10d_functional.wait_tensor.default(" + launch + ")\n";
  };
  return makers + launch("a", "x", first) + launch("b", "y", second) + wait("wa", "a") + wait("wb", "b") +
         "  return (wa, wb)";
}

std::string meshGroups(const std::string &first, const std::string &second) {
  auto maker = [](const std::string &name, const std::string &arguments) {
    return "  " + name + " = torch.ops._dtensor.mesh_get_process_group.default(" + arguments + ")\n";
  };
  return twoOn(maker("m", first) + maker("n", second), "m", "n");
}

const std::string attributes = "  p = self._torchbind_obj0\n  q = self._torchbind_obj1\n";

struct GroupCase {
  const char *name;
  std::string lines;
  std::vector<Group> table;
  /// verdict on b issued before a, and on both merged into one
  const char *swapped;
  const char *merged;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const GroupCase &group, std::ostream *os) { *os << group.name; }

class LegalityGroups : public testing::TestWithParam<GroupCase> {
protected:
  void load() {
    bench_.load(inputs, GetParam().lines);
    for (const Group &group : GetParam().table)
      bench_.graph().groups().set(group);
    bench_.snapshot();
  }
  RewriteBench bench_;
};

TEST_P(LegalityGroups, JudgesAnotherOrder) {
  load();
  bench_.move("b", "a");
  EXPECT_EQ(bench_.verdict(), GetParam().swapped);
}

TEST_P(LegalityGroups, JudgesAMerge) {
  load();
  mergeByHand({bench_["a"], bench_["b"]}, BucketLayout::Grouped, bench_.certificate);
  bench_.reordersCollectives = true;
  EXPECT_EQ(bench_.verdict(), GetParam().merged);
}

/// Two collectives on group '0', each with the reduction of its own object.
std::string twoReduced(const std::string &first, const std::string &second) {
  auto launch = [](const std::string &name, const std::string &input, const std::string &reduction) {
    return "  " + name + ": \"f32[8][1]cpu\" = torch.ops._c10d_functional.all_reduce.default(" + input + ", " +
           reduction + ", '0')\n";
  };
  std::string lines = twoOn(attributes, "'0'", "'0'");
  size_t begin = lines.find("  a:"), end = lines.find("  wa:");
  return lines.replace(begin, end - begin, launch("a", "x", first) + launch("b", "y", second));
}

std::string verdictOnMergeOf(const std::string &lines) {
  RewriteBench bench;
  bench.load(inputs, lines);
  bench.snapshot();
  mergeByHand({bench["a"], bench["b"]}, BucketLayout::Grouped, bench.certificate);
  return bench.verdict();
}

// A process may hold a sum in one of its ReduceOp objects and a maximum in the other.
TEST(LegalityReductions, OfTwoObjectsDoNotMerge) {
  EXPECT_EQ(verdictOnMergeOf(twoReduced("p", "p")), "");
  EXPECT_EQ(verdictOnMergeOf(twoReduced("p", "q")), "merged-unlike");
  EXPECT_EQ(verdictOnMergeOf(twoReduced("p", "'sum'")), "merged-unlike");
}

const std::vector<Group> noTable;
Group ranks(const char *name, std::vector<int64_t> members) { return {.name = name, .ranks = std::move(members)}; }

INSTANTIATE_TEST_SUITE_P(
    All, LegalityGroups,
    testing::Values(GroupCase{"OneName", twoOn("", "'0'", "'0'"), noTable, "issue-order", ""},
                    GroupCase{"TwoNames", twoOn("", "'0'", "'1'"), noTable, "", "issue-order merged-unlike"},
                    GroupCase{"TwoNamesWithEqualMembers",
                              twoOn("", "'0'", "'1'"),
                              {ranks("0", {0, 1}), ranks("1", {0, 1})},
                              "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"TwoNamesWithOtherMembers",
                              twoOn("", "'0'", "'1'"),
                              {ranks("0", {0, 1}), ranks("1", {0, 2})},
                              "",
                              "issue-order merged-unlike"},
                    GroupCase{
                        "PartitionsWithAnEqualCell",
                        twoOn("", "'0'", "'1'"),
                        {{.name = "0", .partition = {{0, 1}, {2, 3}}}, {.name = "1", .partition = {{2, 3}, {0, 1}}}},
                        "group-apart",
                        "group-apart issue-order merged-unlike"},
                    GroupCase{"EqualCalls", meshGroups("mesh, 0", "mesh, dim = 0"), noTable, "issue-order", ""},
                    GroupCase{"UnlikePositions", meshGroups("mesh, 0", "mesh, 1"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"UnlikeKeywords", meshGroups("mesh, dim = 0", "mesh, dim = 1"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"UnlikeTexts", meshGroups("mesh, 'a'", "mesh, 'b'"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"UnlikeFloats", meshGroups("mesh, 0.5", "mesh, 1.5"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"UnlikeBools", meshGroups("mesh, True", "mesh, False"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"OneAttribute", twoOn(attributes, "p", "p"), noTable, "issue-order", ""},
                    GroupCase{"TwoAttributes", twoOn(attributes, "p", "q"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"AnInputAndAName", twoOn("", "pg", "'0'"), noTable, "group-apart",
                              "group-apart issue-order merged-unlike"},
                    GroupCase{"DescribedAttributes",
                              twoOn(attributes, "p", "q"),
                              {ranks("_torchbind_obj0", {0, 1}), ranks("_torchbind_obj1", {0, 2})},
                              "",
                              "issue-order merged-unlike"}),
    [](const testing::TestParamInfo<GroupCase> &info) { return info.param.name; });

/// One wrapper holds several collectives, on groups that are not visible from outside.
TEST(LegalityOfWrappers, NothingPassesSeveralCollectivesInOne) {
  RewriteBench bench;
  bench.load(R"(x: "f32[8][1]cpu", y: "f32[8][1]cpu")", R"(
  sub = self.sub
  d: "f32[8][1]cpu" = torch.ops.aten.neg.default(y)
  both = torch.ops.higher_order.control_deps((d,), sub, x)
  a: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  wa: "f32[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  return (both, wa))",
             R"(
    class sub(torch.nn.Module):
        def forward(self, e: "f32[8][1]cpu"):
            p: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(e, 'sum', '0')
            q: "f32[8][1]cpu" = torch.ops._c10d_functional.all_reduce.default(e, 'max', '0')
            return (p, q))");
  bench.move("a", "both");
  EXPECT_EQ(bench.verdict(), "group-apart");
}

} // namespace
} // namespace ccgraph::test
