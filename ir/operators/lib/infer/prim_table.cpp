#include "infer/families.h"
#include "infer/table.h"

namespace ccgraph::infer {
namespace {

constexpr Entry prims[] = {
    {"prims._low_memory_max_pool_offsets_to_indices", offsetsAsPlaces},
    {"prims._low_memory_max_pool_with_offsets", poolWithOffsets},
    {"prims.abs", realType},
    {"prims.acos", floatType},
    {"prims.acosh", floatType},
    {"prims.add", arithmeticType},
    {"prims.asin", floatType},
    {"prims.asinh", floatType},
    {"prims.atan", floatType},
    {"prims.atan2", floatType},
    {"prims.atanh", floatType},
    {"prims.ceil", arithmeticType},
    {"prims.convert_element_type", copyType, Certain},
    {"prims.cos", floatType},
    {"prims.cosh", floatType},
    {"prims.device_put", deviceType},
    {"prims.digamma", floatType},
    {"prims.eq", boolType},
    {"prims.erf", floatType},
    {"prims.erfc", floatType},
    {"prims.exp", floatType},
    {"prims.exp2", floatType},
    {"prims.expm1", floatType},
    {"prims.floor", arithmeticType},
    {"prims.fma", arithmeticType, Certain},
    {"prims.ge", boolType},
    {"prims.gt", boolType},
    {"prims.iota", iotaType},
    {"prims.isfinite", boolType},
    {"prims.le", boolType},
    {"prims.lgamma", floatType},
    {"prims.log", floatType},
    {"prims.log10", floatType},
    {"prims.log1p", floatType},
    {"prims.log2", floatType},
    {"prims.lt", boolType},
    {"prims.maximum", arithmeticType},
    {"prims.minimum", arithmeticType},
    {"prims.mul", arithmeticType},
    {"prims.ne", boolType},
    {"prims.neg", arithmeticType},
    {"prims.pow", arithmeticType},
    {"prims.prepare_softmax_online", onlineSoftmax},
    {"prims.reciprocal", floatType},
    {"prims.rev", likeType},
    {"prims.round", arithmeticType},
    {"prims.sign", arithmeticType},
    {"prims.signbit", boolType},
    {"prims.sin", floatType},
    {"prims.sinh", floatType},
    {"prims.sqrt", floatType},
    {"prims.sub", arithmeticType},
    {"prims.tan", floatType},
    {"prims.tanh", floatType},
    {"prims.trunc", arithmeticType},
};

} // namespace

llvm::ArrayRef<Entry> primEntries() { return prims; }

} // namespace ccgraph::infer
