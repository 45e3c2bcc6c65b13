// Tests the legality of the gradient of a weight that is reduced in pieces of columns: correct, and with one error
// each.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// The calls of the second of two pieces, and those that put both together.
struct SecondColumns {
  int64_t from = 1;
  int64_t to = 3;
  const char *matrix = "x";
  bool waits = true;
  bool swaps = false;
};

class LegalityColumnPieces : public testing::Test {
protected:
  void cut(const SecondColumns &second) {
    bench_.certificate = {};
    built_.clear();
    bench_.load(R"(t: "bf16[4, 5][5, 1]cpu", x: "bf16[5, 3][3, 1]cpu", y: "bf16[5, 3][3, 1]cpu")", R"(
  p: "bf16[4, 3][3, 1]cpu" = torch.ops.aten.mm.default(t, x)
  c: "f32[4, 3][3, 1]cpu" = torch.ops.prims.convert_element_type.default(p, torch.float32)
  s: "f32[2, 3][3, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(c, 'sum', 2, '0')
  w: "f32[2, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(s)
  r: "f32[2, 3][3, 1]cpu" = torch.ops.aten.neg.default(w)
  return (r,))");
    std::vector<Node *> parts = {piece("1", {.from = 0, .to = 1}), piece("2", second)};
    if (second.swaps)
      std::swap(parts[0], parts[1]);
    Node *value = make("value", "aten.cat.default", {Actual::nodes(parts), 1}, "f32[2, 3][3, 1]cpu");
    bench_.replaceByPieces({"w", "s", "c", "p"}, {value}, built_);
  }

  RewriteBench bench_;

private:
  Node *make(const std::string &name, const char *target, const std::vector<Actual> &arguments,
             const std::string &type) {
    built_.push_back(makeCall(bench_["s"], name.c_str(), target, arguments, type.c_str()));
    return built_.back();
  }

  Node *piece(const std::string &name, const SecondColumns &how) {
    const std::string count = std::to_string(how.to - how.from);
    const std::string sizes = ", " + count + "][" + count + ", 1]cpu";
    Node *columns = make("x" + name, "aten.slice.Tensor", {bench_[how.matrix], 1, how.from, how.to},
                         "bf16[5, " + count + "][3, 1]cpu");
    Node *product = make("p" + name, "aten.mm.default", {bench_["t"], columns}, "bf16[4" + sizes);
    Node *cast = make("c" + name, "prims.convert_element_type.default", {product, DType::F32}, "f32[4" + sizes);
    Node *launch =
        make("s" + name, "_c10d_functional.reduce_scatter_tensor.default", {cast, "sum", 2, "0"}, "f32[2" + sizes);
    return how.waits ? make("w" + name, "_c10d_functional.wait_tensor.default", {launch}, "f32[2" + sizes) : launch;
  }

  std::vector<Node *> built_;
};

TEST_F(LegalityColumnPieces, AcceptsAllColumnsInOrder) {
  cut({});
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityColumnPieces, RefusesColumnsThatAreTwice) {
  cut({.from = 0, .to = 2});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityColumnPieces, RefusesColumnsInAnotherOrder) {
  cut({.swaps = true});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityColumnPieces, RefusesColumnsOfAnotherMatrix) {
  cut({.matrix = "y"});
  EXPECT_EQ(bench_.verdict(), "equal-pieces");
}

TEST_F(LegalityColumnPieces, RefusesToPutTogetherWhatIsInFlight) {
  cut({.waits = false});
  EXPECT_EQ(bench_.verdict(), "equal-pieces in-flight wait-lost");
}

TEST_F(LegalityColumnPieces, RefusesWhereRanksDifferOrBitsCount) {
  cut({});
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
  EXPECT_EQ(bench_.verdict({.bitwise = true}), "bitwise");
}

} // namespace
} // namespace ccgraph::test
