// Exchanges: the effect of a collective on layouts, for one bucket.
//
// Elements of inputs become elements of results: of the member's *own* result, in that result's order. So every kind is
// judged by the same rule. Where ranks hold different elements (gathers, scatters, all_to_all), the rule requires that
// the buffer has the same layout for each rank; this makes the merge correct.
//
//   all_reduce, broadcast   element e          -> element e
//   all_gather              element e          -> element r * size + e, for each rank r
//   reduce_scatter          chunk q, element e -> element e (of the chunk of the rank that holds it)
//   all_to_all              chunk for rank q   -> chunk from rank q; members in bucket order within each chunk
//
// Ownership: plain values. Failure: a sentence that explains what does not fit. Cost: ranks x runs.
#pragma once

#include "call.h"
#include "layout.h"

#include <optional>
#include <variant>
#include <vector>

namespace ccgraph::legality {

/// One value that is sent in a bucket.
struct Source {
  uint32_t value = 0;           ///< step after
  std::optional<IntList> sizes; ///< empty where a size is no number
};

/// The inputs of a bucket: distinct values, and the value that each member sends. Members are in bucket order.
struct Shipment {
  struct Member {
    uint32_t source = 0; ///< index into `sources`
    Call call;           ///< before
  };
  std::vector<Source> sources;
  std::vector<Member> members;
};

/// Returns the layout that a bucket's collective computes from a layout of inputs, or why it cannot be determined. The
/// sizes of all sources must be known.
[[nodiscard]] std::variant<Layout, std::string> exchange(const Call &call, const Shipment &shipment,
                                                         const Layout &input);

/// Returns the sizes of a collective's result on a tensor of these sizes; empty if it has none.
[[nodiscard]] std::optional<IntList> resultSizes(const Call &call, llvm::ArrayRef<int64_t> sizes);

} // namespace ccgraph::legality
