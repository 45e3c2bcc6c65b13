// Exchanges: what a collective does to layouts, for one bucket.
//
// Elements of inputs become elements of results: of the member's *own* result, in that result's
// order, so that every kind is judged alike. Where ranks hold different elements (gathers,
// scatters, all_to_all) the rule asks that the buffer be laid out alike for each rank, which is
// what makes the merge right.
//
//   all_reduce, broadcast   element e          -> element e
//   all_gather              element e          -> element r * size + e, for each rank r
//   reduce_scatter          chunk q, element e -> element e (of the chunk of the rank that holds it)
//   all_to_all              chunk for rank q   -> chunk from rank q; members in bucket order within each chunk
//
// Ownership: plain values. Failure: a sentence that says what does not fit. Cost: ranks x runs.
#pragma once

#include "call.h"
#include "layout.h"

#include <optional>
#include <variant>
#include <vector>

namespace ccgraph::legality {

/// One value that goes into a bucket.
struct Source {
  uint32_t value = 0;         ///< step after
  std::optional<Sizes> sizes; ///< empty where a size is no number
};

/// What a bucket sends: distinct values, and who sends which. Members are in bucket order.
struct Shipment {
  struct Member {
    uint32_t source = 0; ///< index into `sources`
    Call call;           ///< before
  };
  std::vector<Source> sources;
  std::vector<Member> members;
};

/// What a layout of inputs becomes under a bucket's collective, or why it cannot be told. The sizes
/// of all sources must be known.
[[nodiscard]] std::variant<Layout, std::string> exchange(const Call &call, const Shipment &shipment,
                                                         const Layout &input);

/// Sizes of the result of a collective on a tensor of these sizes; empty where it has none.
[[nodiscard]] std::optional<Sizes> resultSizes(const Call &call, llvm::ArrayRef<int64_t> sizes);

} // namespace ccgraph::legality
