// GivenFlag: a flag of a command line, as the user gave it.
//
// Ownership: plain values. Nothing fails.
#pragma once

#include <optional>
#include <string>

namespace ccgraph::report {

struct GivenFlag {
  std::string name;
  /// empty for a flag without a value
  std::optional<std::string> value;
};

} // namespace ccgraph::report
