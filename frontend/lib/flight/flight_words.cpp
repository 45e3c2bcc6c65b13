#include "flight/flight_words.h"

#include "ccgraph/ir/dtype.h"

namespace ccgraph {

std::string dtypeOfFlight(llvm::StringRef word) {
  std::optional<DType> dtype = parseScalarType(word);
  return dtype ? shortName(*dtype).str() : word.str();
}

std::string flightWordOf(llvm::StringRef dtype) {
  std::optional<DType> known = parseShortDType(dtype);
  return known ? scalarTypeName(*known).str() : dtype.str();
}

} // namespace ccgraph
