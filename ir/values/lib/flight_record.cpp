#include "ccgraph/ir/flight_record.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral stateNames[] = {"scheduled", "started", "completed"};
constexpr llvm::StringLiteral activityNames[] = {"unknown", "busy", "waiting", "ended"};

/// Returns the enumerator whose name is in the table.
template <typename Enum, size_t N>
std::optional<Enum> parse(const llvm::StringLiteral (&names)[N], llvm::StringRef text) {
  const auto *found = llvm::find(names, text);
  return found == std::end(names) ? std::nullopt : std::optional(static_cast<Enum>(found - std::begin(names)));
}

} // namespace

llvm::StringRef flightStateName(FlightState state) { return stateNames[static_cast<size_t>(state)]; }
std::optional<FlightState> parseFlightState(llvm::StringRef text) { return parse<FlightState>(stateNames, text); }

llvm::StringRef activityName(RankActivity activity) { return activityNames[static_cast<size_t>(activity)]; }
std::optional<RankActivity> parseActivity(llvm::StringRef text) { return parse<RankActivity>(activityNames, text); }

} // namespace ccgraph
