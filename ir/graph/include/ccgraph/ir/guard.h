// Guards: facts that tracing turned into constants of a program, such as "group tp has 4 ranks".
//
// A tracer that folds such a fact records it, so that the program is rejected where the fact is different: with another
// group file, on another rank, in a run of fewer ranks. A Graph has guards, lowering copies them to the Plan, and one
// rule checks both (guard_check.h). Files contain them as a member, [{"fact": "size", "of": "tp", "value": 4}, ...]; FX
// text as a comment below the header, "# guards: [...]".
//
//   fact         of        value
//   rank         a group   this rank's place in it, -1 outside
//   size         a group   number of ranks
//   ranks        a group   global ranks, in order
//   member       a group   whether this rank is one of them
//   tag          a group   its tag
//   name         a group   its name: that there is a group of this name
//   mesh_ndim    a group   number of dimensions of the device mesh of which it is one
//   device_type  a group   device type of that mesh: "cuda"
//
// The group table has the last two as attributes of a group with the same names (Group::attributes).
//
// Ownership: plain values. Failure: none; a name that is no fact gives an empty value. Cost: linear in the value.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ccgraph {

enum class GuardFact : uint8_t { Rank, Size, Ranks, Member, Tag, Name, MeshDims, DeviceType };
inline constexpr GuardFact guardFacts[] = {GuardFact::Rank,     GuardFact::Size,      GuardFact::Ranks,
                                           GuardFact::Member,   GuardFact::Tag,       GuardFact::Name,
                                           GuardFact::MeshDims, GuardFact::DeviceType};
/// Returns the name in files: "rank", "size", "ranks", "member", "tag", "name", "mesh_ndim", "device_type".
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

} // namespace ccgraph
