// Guards: what a program was told while it was traced and has made constants of: "group tp has 4 ranks".
//
// A tracer that folds such a fact notes it, so that the program is refused where the fact is another: with another group
// file, on another rank, in a run of fewer ranks. A Graph has its guards, lowering gives them to the Plan, and one rule
// judges both. Files have them as a member, [{"fact": "size", "of": "tp", "value": 4}, ...]; FX text as a comment below
// the header, "# guards: [...]".
//
//   fact    of        value
//   rank    a group   this rank's place in it, -1 outside
//   size    a group   number of ranks
//   ranks   a group   global ranks, in order
//   member  a group   whether this rank is one of them
//   tag     a group   its tag
//   name    a group   its name: that there is a group of this name
//
// A run knows more than a text: the rank, and how many ranks there are. There the members of a group are those that the
// run has, and the default group (description "default_pg") is all of them. What nobody can tell (the rank, where one
// text serves every rank; groups, where nobody has said of any who is in it) contradicts nothing.
//
// Ownership: plain values. Failure: guards.fact for each fact that is another. Cost: linear in the guards, times the
// ranks of a group.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ccgraph {

class Graph;
class Plan;

enum class GuardFact : uint8_t { Rank, Size, Ranks, Member, Tag, Name };
inline constexpr GuardFact guardFacts[] = {GuardFact::Rank,   GuardFact::Size, GuardFact::Ranks,
                                           GuardFact::Member, GuardFact::Tag,  GuardFact::Name};
/// "rank", "size", "ranks", "member", "tag", "name".
[[nodiscard]] llvm::StringRef guardFactName(GuardFact fact);
[[nodiscard]] std::optional<GuardFact> parseGuardFact(llvm::StringRef name);

using GuardValue = std::variant<int64_t, bool, std::string, std::vector<int64_t>>;
/// Whether the fact is one that has values of this kind: a size is a number, ranks are a list.
[[nodiscard]] bool hasKindOf(GuardFact fact, const GuardValue &value);
/// As messages spell it: 4, true, "tag", [0, 1].
[[nodiscard]] std::string guardValueText(const GuardValue &value);

struct Guard {
  GuardFact fact = GuardFact::Size;
  /// name of the group
  std::string of;
  GuardValue value;
  friend bool operator==(const Guard &, const Guard &) = default;
};

/// One rank of a run.
struct RunPlace {
  int64_t rank = 0;
  /// of the run
  int64_t ranks = 1;
};

/// Error: each guard that does not hold of the program as it is written, or where it is given as a rank of a run.
[[nodiscard]] llvm::Error checkGuards(const Graph &graph, std::optional<RunPlace> place = std::nullopt);
[[nodiscard]] llvm::Error checkGuards(const Plan &plan, std::optional<RunPlace> place = std::nullopt);

} // namespace ccgraph
