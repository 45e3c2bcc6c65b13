// Defines families of collectives that bucket tests merge without a pass, in both layouts, and the fixture for these
// merges.
#pragma once

#include "support/buckets.h"
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {

/// Two or three collectives of one kind, then their waits, then one use of each.
struct Family {
  const char *name;
  const char *inputs;
  const char *lines;
};

inline constexpr Family allReduce{"all_reduce", R"(x: "f32[4, 3][3, 1]cpu", y: "f32[5][1]cpu", z: "f32[2][1]cpu")", R"(
  a: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  b: "f32[5][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  c: "f32[2][1]cpu" = torch.ops._c10d_functional.all_reduce.default(z, 'sum', '0')
  wa: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[5][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  ua: "f32[4, 3][3, 1]cpu" = torch.ops.aten.neg.default(wa)
  ub: "f32[5][1]cpu" = torch.ops.aten.neg.default(wb)
  uc: "f32[2][1]cpu" = torch.ops.aten.neg.default(wc)
  return (ua, ub, uc))"};

inline constexpr Family broadcast{"broadcast", R"(x: "f32[4][1]cpu", y: "f32[5][1]cpu", z: "f32[2][1]cpu")", R"(
  a: "f32[4][1]cpu" = torch.ops._c10d_functional.broadcast.default(x, 1, '0')
  b: "f32[5][1]cpu" = torch.ops._c10d_functional.broadcast.default(y, 1, '0')
  c: "f32[2][1]cpu" = torch.ops._c10d_functional.broadcast.default(z, 1, '0')
  wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[5][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[2][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))"};

inline constexpr Family gather{"all_gather", R"(x: "f32[4, 3][3, 1]cpu", y: "f32[5][1]cpu", z: "f32[1][1]cpu")", R"(
  a: "f32[12, 3][3, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 3, '0')
  b: "f32[15][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 3, '0')
  c: "f32[3][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(z, 3, '0')
  wa: "f32[12, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[15][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[3][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))"};

inline constexpr Family scatter{"reduce_scatter", R"(x: "f32[6, 2][2, 1]cpu", y: "f32[9][1]cpu", z: "f32[3][1]cpu")",
                                R"(
  a: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(x, 'avg', 3, '0')
  b: "f32[3][1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(y, 'avg', 3, '0')
  c: "f32[1][1]cpu" = torch.ops._c10d_functional.reduce_scatter_tensor.default(z, 'avg', 3, '0')
  wa: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[3][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[1][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))"};

inline constexpr Family transpose{"all_to_all", R"(x: "f32[6, 2][2, 1]cpu", y: "f32[5][1]cpu", z: "f32[4][1]cpu")", R"(
  a: "f32[6, 2][2, 1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(x, [3, 3], [2, 4], '0')
  b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(y, [4, 0], [0, 5], '0')
  c: "f32[4][1]cpu" = torch.ops._c10d_functional.all_to_all_single.default(z, [1, 3], [2, 2], '0')
  wa: "f32[6, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  wc: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(c)
  return (wa, wb, wc))"};

/// Merges a family, changes at most one part, and returns the checker's verdict.
class LegalityBucket : public testing::Test {
protected:
  void load(const Family &family) { bench_.load(family.inputs, family.lines); }

  MergedEntry &merge(BucketLayout layout, const std::vector<const char *> &names = {"a", "b", "c"}) {
    std::vector<Node *> launches;
    launches.reserve(names.size());
    for (const char *name : names)
      launches.push_back(bench_[name]);
    return mergeByHand(launches, layout, bench_.certificate);
  }

  /// Loads and merges.
  MergedEntry &merged(const Family &family, BucketLayout layout) {
    bench_.certificate = {};
    load(family);
    return merge(layout);
  }

  Graph &graph() { return bench_.graph(); }
  RewriteBench bench_;
};

inline constexpr BucketLayout flat = BucketLayout::Flat;
inline constexpr BucketLayout grouped = BucketLayout::Grouped;

} // namespace ccgraph::test
