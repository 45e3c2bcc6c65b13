// Guards: facts that tracing turned into constants of a program, such as "group tp has 4 ranks".
//
// A tracer that folds such a fact records it, so that the program is rejected where the fact is different: with another
// group file, on another rank, in a run of fewer ranks. A Graph has guards, lowering copies them to the Plan, and one
// rule checks both. Files contain them as a member, [{"fact": "size", "of": "tp", "value": 4}, ...]; FX text as a
// comment below the header, "# guards: [...]".
//
//   fact    of        value
//   rank    a group   this rank's place in it, -1 outside
//   size    a group   number of ranks
//   ranks   a group   global ranks, in order
//   member  a group   whether this rank is one of them
//   tag     a group   its tag
//   name    a group   its name: that there is a group of this name
//
// A run has more information than a text: the rank, and the number of ranks. There the members of a group are those
// that the run has, and the default group (description "default_pg") is all of them. An unknown fact contradicts
// nothing: the rank, if one text serves every rank; groups, if no table gives their members.
//
// Ownership: plain values. Failure: guards.fact for each fact that is different. Cost: linear in the guards, times the
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
/// Returns whether the fact has values of this kind: a size is a number, ranks are a list.
[[nodiscard]] bool hasKindOf(GuardFact fact, const GuardValue &value);
/// Returns the form in messages: 4, true, "tag", [0, 1].
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
  /// number of ranks of the run
  int64_t ranks = 1;
};

/// Returns an error with each guard that is false for the program as written, or, if `place` is given, for this rank of
/// a run.
[[nodiscard]] llvm::Error checkGuards(const Graph &graph, std::optional<RunPlace> place = std::nullopt);
[[nodiscard]] llvm::Error checkGuards(const Plan &plan, std::optional<RunPlace> place = std::nullopt);

} // namespace ccgraph
