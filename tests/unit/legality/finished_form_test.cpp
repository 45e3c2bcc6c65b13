// Tests the legality of launches and waits that replace calls which are complete when they return: correct and with one
// error.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *type = "f32[4, 2][2, 1]cpu";
const std::string typed = ": \"f32[4, 2][2, 1]cpu\" = torch.ops.";

class LegalityFinishedForm : public testing::Test {
protected:
  LegalityFinishedForm() {
    objects_["op"] = {.reduceOp = "sum", .group = ""};
    objects_["g"] = {.reduceOp = "", .group = "0"};
  }

  void load(const std::string &lines) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 2][2, 1]cpu", y: "f32[4, 2][2, 1]cpu")", "\n  g = self.g\n  op = self.op\n" + lines);
  }
  /// p is allreduce_([a]) of a buffer that `made` computes; r is its result, which `rest` reads.
  void loadReduce(const std::string &rest = "  return (r,)", const std::string &made = "aten.relu.default(x)") {
    load("  a" + typed + made + "\n  p = torch.ops.c10d.allreduce_.default([a], g, op, None, False)\n  l = p[0]\n" +
         "  r: \"f32[4, 2][2, 1]cpu\" = l[0]\n" + rest);
  }
  void loadGather() {
    load("  a" + typed + "aten.empty_like.default(x)\n  b" + typed + "aten.empty_like.default(x)\n" +
         "  p = torch.ops.c10d.allgather_.default([[a, b]], [x], g)\n  l = p[0]\n  m = l[0]\n" +
         "  r: \"f32[4, 2][2, 1]cpu\" = m[0]\n  s: \"f32[4, 2][2, 1]cpu\" = m[1]\n  return (r, s)");
  }

  Node *before(const char *target, const std::vector<Actual> &arguments, const char *made) {
    Node *node = makeCall(bench_["p"], "built", target, arguments, made);
    entry_.built.push_back(node);
    return node;
  }
  void replace(const char *name, Node *by) {
    bench_.graph().replaceAllUses(bench_[name], by);
    drop(name);
  }
  void drop(const char *name) {
    entry_.matched.push_back(bench_[name]);
    bench_.graph().erase(bench_[name]);
  }
  std::string judge() {
    Node *call = bench_["p"];
    bench_.graph().erase(call);
    entry_.matched.insert(entry_.matched.begin(), call);
    bench_.certificate.rules.push_back(std::move(entry_));
    entry_ = {"finished-form", {}, {}};
    return bench_.verdict({.spmd = spmd_, .objects = &objects_});
  }

  /// Replaces p by this call and a wait on it.
  std::string reduced(const std::vector<Actual> &arguments, const char *target = "_c10d_functional.all_reduce.default",
                      const char *made = type) {
    Node *launch = before(target, arguments, made);
    replace("r", before("_c10d_functional.wait_tensor.default", {launch}, made));
    drop("l");
    return judge();
  }
  /// r and s are elements of the gathered tensor, split into these rows.
  std::string gathered(int64_t ranks, const std::vector<int64_t> &rows, int first, int second) {
    Node *launch = before("_c10d_functional.all_gather_into_tensor.default", {bench_["x"], ranks, bench_["g"]},
                          "f32[8, 2][2, 1]cpu");
    Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, "f32[8, 2][2, 1]cpu");
    Node *split = before("aten.split_with_sizes_copy.default", {wait, rows}, "");
    Node *r = before("operator.getitem", {split, first}, type);
    Node *s = before("operator.getitem", {split, second}, type);
    replace("r", r);
    replace("s", s);
    drop("m");
    drop("l");
    return judge();
  }

  /// Replaces p of loadReduce by a call, a wait on it, and a copy of `value` into `buffer`; "wait" is the wait.
  std::string copiedBack(const char *buffer, llvm::StringRef value) {
    Node *launch = before("_c10d_functional.all_reduce.default", {bench_["a"], "sum", "0"}, type);
    Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, type);
    replace("r", before("aten.copy_.default", {bench_[buffer], value == "wait" ? wait : bench_[value]}, type));
    drop("l");
    return judge();
  }
  void loadGatherInto(const std::string &buffers) {
    load("  a" + typed + "aten.relu.default(x)\n  v" + typed + "aten.view.default(x, [4, 2])\n" +
         "  p = torch.ops.c10d.allgather_.default([[" + buffers + "]], [a], g)\n  return (a,)");
  }
  /// The pieces of the gathered tensor are copied into these, in order.
  std::string gatheredInto(llvm::ArrayRef<const char *> buffers) {
    Node *launch =
        before("_c10d_functional.all_gather_into_tensor.default", {bench_["a"], 2, bench_["g"]}, "f32[8, 2][2, 1]cpu");
    Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, "f32[8, 2][2, 1]cpu");
    Node *split = before("aten.split_with_sizes_copy.default", {wait, std::vector<int64_t>{4, 4}}, "");
    std::vector<Node *> pieces;
    for (int piece = 0; piece < static_cast<int>(buffers.size()); ++piece)
      pieces.push_back(before("operator.getitem", {split, piece}, type));
    for (size_t piece = 0; piece < buffers.size(); ++piece)
      before("aten.copy_.default", {bench_[buffers[piece]], pieces[piece]}, type);
    return judge();
  }

  void loadList() {
    load("  a" + typed + "aten.relu.default(x)\n  b" + typed + "aten.neg.default(x)\n" +
         "  p = torch.ops.c10d.allreduce_coalesced_.default([a, b], g, op)\n  return (a, b)");
  }
  /// Replaces p of loadList by a call on a list; buffer k gets the result of element elements[k].
  std::string onList(const std::vector<Node *> &sent, const std::vector<int> &elements,
                     llvm::ArrayRef<const char *> buffers) {
    Node *launch = before("_c10d_functional.all_reduce_coalesced.default", {Actual::nodes(sent), "sum", "0"}, "");
    std::vector<Node *> waits;
    for (int element : elements) {
      Node *value = before("operator.getitem", {launch, element}, type);
      waits.push_back(before("_c10d_functional.wait_tensor.default", {value}, type));
    }
    for (size_t i = 0; i < buffers.size(); ++i)
      before("aten.copy_.default", {bench_[buffers[i]], waits[i]}, type);
    return judge();
  }
  void loadExchange(const std::string &splits) {
    load("  a" + typed + "aten.relu.default(x)\n  p = torch.ops.c10d.alltoall_base_.default(a, y, g, " + splits +
         ")\n  return (a,)");
    bench_.graph().groups().set(Group{.name = "0", .ranks = {0, 1}});
    bench_.snapshot();
  }
  std::string exchanged(const std::vector<int64_t> &output, const std::vector<int64_t> &input) {
    Node *launch = before("_c10d_functional.all_to_all_single.default", {bench_["y"], output, input, "0"}, type);
    Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, type);
    before("aten.copy_.default", {bench_["a"], wait}, type);
    return judge();
  }

  RewriteBench bench_;
  ObjectMeanings objects_;
  RuleEntry entry_{"finished-form", {}, {}};
  bool spmd_ = true;
};

TEST_F(LegalityFinishedForm, AcceptsWhatAFileSaysOfTheObjects) {
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "");
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "sum", bench_["g"]}), "") << "the group as the object that it is";
  loadReduce("  n" + typed + "aten.add_.Tensor(r, y)\n  return (n,)");
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "") << "a result that is written later";
}

TEST_F(LegalityFinishedForm, RefusesAnotherReductionGroupTensorOrKind) {
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "max", "0"}), "rule");
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "sum", "1"}), "rule");
  loadReduce();
  EXPECT_EQ(reduced({bench_["y"], "sum", "0"}), "rule");
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], 1, "0"}, "_c10d_functional.broadcast.default"), "rule");
}

TEST_F(LegalityFinishedForm, RefusesWhatNoFileSays) {
  objects_.clear();
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "sum", bench_["g"]}), "rule");
}

TEST_F(LegalityFinishedForm, RefusesABufferThatIsReadByItsFirstName) {
  loadReduce("  return (a, r)");
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFinishedForm, RefusesABufferOfTheCallerAndAPart) {
  loadReduce("  return (r,)", "aten.view.default(x, [4, 2])");
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "rule");
  load("  c: \"f32[8, 2][2, 1]cpu\" = torch.ops.aten.cat.default([x, y])\n  a" + typed +
       "aten.slice.Tensor(c, 0, 0, 4)\n  p = torch.ops.c10d.allreduce_.default([a], g, op, None)\n  l = p[0]\n"
       "  r: \"f32[4, 2][2, 1]cpu\" = l[0]\n  return (r,)");
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "rule");
}

TEST_F(LegalityFinishedForm, RefusesRanksThatRunOtherPrograms) {
  spmd_ = false;
  loadReduce();
  EXPECT_EQ(reduced({bench_["a"], "sum", "0"}), "mpmd");
}

TEST_F(LegalityFinishedForm, RefusesAResultThatNobodyHasWaitedFor) {
  loadReduce();
  Node *launch = before("_c10d_functional.all_reduce.default", {bench_["a"], "sum", "0"}, type);
  before("_c10d_functional.wait_tensor.default", {launch}, type);
  replace("r", launch);
  drop("l");
  EXPECT_NE(judge(), "");
}

TEST_F(LegalityFinishedForm, RefusesAReaderOfAList) {
  loadReduce("  n" + typed + "aten.cat.default(l)\n  return (n, r)");
  Node *launch = before("_c10d_functional.all_reduce.default", {bench_["a"], "sum", "0"}, type);
  Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, type);
  replace("r", wait);
  replace("l", wait);
  EXPECT_NE(judge(), "");
}

TEST_F(LegalityFinishedForm, AcceptsACopyIntoABufferThatIsReadByAnotherName) {
  loadReduce("  return (a, r)");
  EXPECT_EQ(copiedBack("a", "wait"), "");
  loadReduce("  return (r,)", "aten.view.default(x, [4, 2])");
  EXPECT_EQ(copiedBack("a", "wait"), "") << "a view of an input";
}

TEST_F(LegalityFinishedForm, RefusesACopyOfAnotherValueOrIntoAnotherBuffer) {
  loadReduce("  return (a, r)");
  EXPECT_NE(copiedBack("a", "y"), "");
  loadReduce("  return (a, r)");
  EXPECT_NE(copiedBack("y", "wait"), "");
}

TEST_F(LegalityFinishedForm, AcceptsPiecesThatAreCopiedIntoInputs) {
  loadGatherInto("x, y");
  EXPECT_EQ(gatheredInto({"x", "y"}), "");
}

TEST_F(LegalityFinishedForm, RefusesPiecesInExchangedOrOverlappingInputsAndAMissingCopy) {
  loadGatherInto("x, y");
  EXPECT_NE(gatheredInto({"y", "x"}), "") << "each in the buffer of the other";
  loadGatherInto("x, y");
  EXPECT_EQ(gatheredInto({"x"}), "rule") << "y keeps its values";
  loadGatherInto("x, v");
  EXPECT_EQ(gatheredInto({"x", "v"}), "rule") << "v is a view of x";
}

TEST_F(LegalityFinishedForm, AcceptsAListWithAWaitForEachElement) {
  loadList();
  EXPECT_EQ(onList({bench_["a"], bench_["b"]}, {0, 1}, {"a", "b"}), "");
}

TEST_F(LegalityFinishedForm, RefusesAListOfOtherTensorsElementsOrCopies) {
  loadList();
  EXPECT_NE(onList({bench_["b"], bench_["a"]}, {0, 1}, {"a", "b"}), "") << "the tensors are exchanged";
  loadList();
  EXPECT_NE(onList({bench_["a"], bench_["b"]}, {1, 0}, {"a", "b"}), "") << "each buffer has the result of the other";
  loadList();
  EXPECT_NE(onList({bench_["a"], bench_["b"]}, {0, 0}, {"a", "b"}), "") << "one result is lost";
  loadList();
  EXPECT_NE(onList({bench_["a"], bench_["b"]}, {0, 1}, {"a"}), "") << "b is read, and keeps its values";
  loadList();
  EXPECT_NE(onList({bench_["a"]}, {0}, {"a"}), "") << "b is not sent";
}

TEST_F(LegalityFinishedForm, ComparesTheSplitsOfAnExchange) {
  loadExchange("[1, 3], [3, 1]");
  EXPECT_EQ(exchanged({1, 3}, {3, 1}), "");
  loadExchange("[1, 3], [3, 1]");
  EXPECT_EQ(exchanged({3, 1}, {1, 3}), "rule");
  loadExchange("[], []");
  EXPECT_EQ(exchanged({2, 2}, {2, 2}), "");
  loadExchange("[], []");
  EXPECT_EQ(exchanged({1, 3}, {3, 1}), "rule");
}

TEST_F(LegalityFinishedForm, AcceptsPiecesByTheirRows) {
  loadGather();
  EXPECT_EQ(gathered(2, {4, 4}, 0, 1), "");
}

TEST_F(LegalityFinishedForm, RefusesPiecesOfOtherRowsNumbersOrRanks) {
  loadGather();
  EXPECT_EQ(gathered(2, {2, 6}, 0, 1), "rule");
  loadGather();
  EXPECT_EQ(gathered(4, {4, 4}, 0, 1), "rule");
  loadGather();
  EXPECT_NE(gathered(2, {4, 4}, 1, 0), "") << "each stands for the other";
}

TEST_F(LegalityFinishedForm, RefusesAWriteBetweenWhatIsJoinedAndTheLaunch) {
  load("  o" + typed + "aten.empty_like.default(x)\n  a" + typed + "aten.relu.default(x)\n" +
       "  p = torch.ops.c10d.reduce_scatter_.default([o], [[a, y]], g, op)\n  n" + typed +
       "aten.add_.Tensor(a, y)\n  l = p[0]\n  r: \"f32[4, 2][2, 1]cpu\" = l[0]\n  return (r, n)");
  Node *joined = makeCall(bench_["p"], "joined", "aten.cat.default", {std::vector<Node *>{bench_["a"], bench_["y"]}},
                          "f32[8, 2][2, 1]cpu");
  Node *launch = before("_c10d_functional.reduce_scatter_tensor.default", {joined, "sum", 2, "0"}, type);
  Node *wait = before("_c10d_functional.wait_tensor.default", {launch}, type);
  entry_.built.push_back(joined);
  replace("r", wait);
  drop("l");
  bench_.move("n", "joined"); // the pieces are joined after one of them was written
  EXPECT_NE(judge(), "");
}

} // namespace
} // namespace ccgraph::test
