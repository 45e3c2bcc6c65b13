// Tests the rules of copies to the host's memory and back: async.host-copy and async.freed.
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/verifier.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Program;

constexpr const char *vec4 = "f32[4][1]cpu";

class VerifierHostCopies : public testing::Test {
protected:
  Node *neg(const char *name, Node *x) { return p_.call(name, "aten.neg.default", {x}, vec4); }
  Node *offload(const char *name, Node *x) { return p_.call(name, "ao.offload.default", {x}, vec4); }
  Node *reload(const char *name, Node *x) {
    return p_.call(name, "ao.reload.default", {x, Actual::literal(Argument::device(x->type()->device()))}, vec4);
  }
  Node *wait(const char *name, Node *x) { return p_.call(name, "ao.wait_tensor.default", {x}, vec4); }
  Node *waitAndFree(const char *name, Node *x, Node *freed) {
    return p_.call(name, "ao.wait_tensor.default", {x, freed}, vec4);
  }
  std::string found() { return toString(verify(p_.graph)); }

  Program p_;
  Node *x_ = p_.input("x", vec4);
};

TEST_F(VerifierHostCopies, AValueMayComeBack) {
  Node *v = neg("v", x_);
  Node *o = offload("o", v);
  Node *early = neg("early", v);
  Node *h = waitAndFree("h", o, v);
  Node *w = waitAndFree("w", reload("l", h), h);
  p_.output({w, early});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierHostCopies, NothingReadsACopyInFlight) {
  Node *o = offload("o", neg("v", x_));
  Node *n = neg("n", o);
  p_.output({n, wait("h", o)});
  EXPECT_EQ(found(), "error: n: reads 'o' while 'o' is in flight; expected a wait before [async.read-in-flight]\n"
                     "  note: wait on 'o' and read what the wait yields\n");
}

TEST_F(VerifierHostCopies, NothingNamesAFreedStorage) {
  Node *v = neg("v", x_);
  Node *o = offload("o", v);
  Node *h = waitAndFree("h", o, v);
  p_.output({neg("n", v), h});
  EXPECT_EQ(found(), "error: n: names 'v', whose storage 'h' has freed; expected it before [async.freed]\n"
                     "  note: move it before 'h', or let it read what comes back from the host\n");
}

TEST_F(VerifierHostCopies, AnAliasOfAFreedStorageIsNotNamed) {
  Node *v = neg("v", x_);
  Node *view = p_.call("view", "aten.view.default", {v, test::list({2, 2})}, "f32[2, 2][2, 1]cpu");
  Node *o = offload("o", v);
  Node *h = waitAndFree("h", o, v);
  p_.output({view, h});
  EXPECT_NE(found().find("output: names 'view', whose storage 'h' has freed"), std::string::npos) << found();
}

TEST_F(VerifierHostCopies, TheCallersStorageIsNotFreed) {
  Node *h = waitAndFree("h", offload("o", x_), x_);
  p_.output({h});
  EXPECT_EQ(found(), "error: h: frees the storage of 'x', which the caller keeps; expected a value of the program "
                     "[async.freed]\n"
                     "  note: leave out 'keepalive'\n");
}

TEST_F(VerifierHostCopies, AnInputThatWasGivenAwayMayBeFreed) {
  Program p;
  p.input("primals_1", vec4);
  Node *saved = p.input("tangents_1", vec4);
  Node *o = p.call("o", "ao.offload.default", {saved}, vec4);
  p.output({p.call("h", "ao.wait_tensor.default", {o, saved}, vec4)});
  EXPECT_EQ(toString(verify(p.graph)), "");
}

TEST_F(VerifierHostCopies, AWaitNeedsACopyInFlight) {
  p_.output({wait("w", x_)});
  EXPECT_NE(found().find("error: w: waits on 'x', which is in flight by no ao.offload or ao.reload"), std::string::npos)
      << found();
}

TEST_F(VerifierHostCopies, ASecondWaitFindsNoCopy) {
  Node *o = offload("o", neg("v", x_));
  wait("h", o);
  p_.output({wait("again", o)});
  EXPECT_NE(found().find("error: again: waits on 'o'"), std::string::npos) << found();
}

TEST_F(VerifierHostCopies, TheWaitOfCollectivesDoesNotTakeACopy) {
  Node *o = offload("o", neg("v", x_));
  p_.output({p_.call("h", "_c10d_functional.wait_tensor.default", {o}, vec4)});
  EXPECT_EQ(found(), "error: h: waits on the copy 'o' by _c10d_functional.wait_tensor.default; expected "
                     "ao.wait_tensor [async.host-copy]\n"
                     "  note: call ao.wait_tensor on 'o'\n");
}

TEST_F(VerifierHostCopies, AMissingWaitIsReported) {
  Node *v = neg("v", x_);
  offload("o", v);
  p_.output({v});
  EXPECT_NE(found().find("o: has no wait; expected at least one [async.missing-wait]"), std::string::npos) << found();
}

TEST_F(VerifierHostCopies, TheHostsTensorTakesNoBytes) {
  Node *v = neg("v", x_);
  Node *o = offload("o", v);
  Node *h = waitAndFree("h", o, v);
  Node *n = neg("n", x_);
  Node *w = waitAndFree("w", reload("l", h), h);
  p_.output({w, n});
  ASSERT_EQ(found(), "");
  // x 16 bytes always; v up to h; n from its step; l from its step
  EXPECT_EQ(memoryCurve(p_.graph, StorageMap(p_.graph)), (std::vector<int64_t>{16, 32, 32, 32, 32, 48, 48, 48}));
}

} // namespace
} // namespace ccgraph
