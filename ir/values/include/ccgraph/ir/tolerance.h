// Tolerance: the maximum difference at which two values of one output count as equal.
//
// The condition is |got - want| <= atol + rtol * |want| for each element, like torch.isclose; or, if `bitwise`, the
// same bytes. Either way two NaNs are equal. It is a plain value that crosses between folders: a reader creates it from
// a file (frontend/tolerance_file.h), a comparison uses it (runtime/comparison.h).
//
// Ownership: none. Failure: none; readers ensure that atol and rtol are not negative. If `bitwise` is true, atol and
// rtol are ignored. Cost: a map look-up an output.
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

/// By output, with the names in value files: "out.0", "after.x_1". An output without entry is compared bitwise.
using ToleranceMap = std::map<std::string, Tolerance>;

} // namespace ccgraph
