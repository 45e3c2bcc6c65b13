// Tolerance: how far two values of one output may lie apart and still count as equal.
//
// |got - want| <= atol + rtol * |want| for each element, as torch.isclose has it; or, where
// `bitwise`, the same bytes. Either way two NaNs are equal. It is a plain value that crosses
// between folders: a reader makes it of a file (frontend/tolerance_file.h), a comparison takes it
// (runtime/comparison.h).
//
// Ownership: none. Failure: none; readers see to it that atol and rtol are not negative. Where
// `bitwise` holds, atol and rtol are not looked at. Cost: a map look-up an output.
#pragma once

#include <map>
#include <string>

namespace ccgraph {

struct Tolerance {
  bool bitwise = true;
  /// in units of the value
  double atol = 0.0;
  /// relative to the expected value
  double rtol = 0.0;
};

/// By output, spelled as value files spell it: "out.0", "after.x_1". An output that is not named is held bitwise.
using ToleranceMap = std::map<std::string, Tolerance>;

} // namespace ccgraph
