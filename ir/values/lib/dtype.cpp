#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/StringSwitch.h"

namespace ccgraph {
namespace {

struct DTypeRow {
  const char *shortName;
  const char *torchName;
  const char *scalarTypeName;
  uint8_t bytes;
  DTypeClass category;
};

constexpr DTypeRow rows[numDTypes] = {
    {"u8", "uint8", "Byte", 1, DTypeClass::Integer},
    {"i8", "int8", "Char", 1, DTypeClass::Integer},
    {"i16", "int16", "Short", 2, DTypeClass::Integer},
    {"i32", "int32", "Int", 4, DTypeClass::Integer},
    {"i64", "int64", "Long", 8, DTypeClass::Integer},
    {"u16", "uint16", "UInt16", 2, DTypeClass::Integer},
    {"u32", "uint32", "UInt32", 4, DTypeClass::Integer},
    {"u64", "uint64", "UInt64", 8, DTypeClass::Integer},
    {"f16", "float16", "Half", 2, DTypeClass::Float},
    {"bf16", "bfloat16", "BFloat16", 2, DTypeClass::Float},
    {"f32", "float32", "Float", 4, DTypeClass::Float},
    {"f64", "float64", "Double", 8, DTypeClass::Float},
    {"c32", "complex32", "ComplexHalf", 4, DTypeClass::Complex},
    {"c64", "complex64", "ComplexFloat", 8, DTypeClass::Complex},
    {"c128", "complex128", "ComplexDouble", 16, DTypeClass::Complex},
    {"b8", "bool", "Bool", 1, DTypeClass::Bool},
    {"f8e4m3fn", "float8_e4m3fn", "Float8_e4m3fn", 1, DTypeClass::Float},
    {"f8e5m2", "float8_e5m2", "Float8_e5m2", 1, DTypeClass::Float},
    {"f8e4m3fnuz", "float8_e4m3fnuz", "Float8_e4m3fnuz", 1, DTypeClass::Float},
    {"f8e5m2fnuz", "float8_e5m2fnuz", "Float8_e5m2fnuz", 1, DTypeClass::Float},
    {"f8e8m0fnu", "float8_e8m0fnu", "Float8_e8m0fnu", 1, DTypeClass::Float},
    {"f4e2m1fnx2", "float4_e2m1fn_x2", "Float4_e2m1fn_x2", 1, DTypeClass::Float},
};

const DTypeRow &row(DType type) { return rows[static_cast<unsigned>(type)]; }

template <typename Name>
std::optional<DType> findRow(llvm::StringRef text, Name name) {
  for (unsigned i = 0; i < numDTypes; ++i)
    if (text == name(rows[i]))
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace

llvm::StringRef shortName(DType type) { return row(type).shortName; }
llvm::StringRef torchName(DType type) { return row(type).torchName; }
llvm::StringRef scalarTypeName(DType type) { return row(type).scalarTypeName; }
unsigned sizeInBytes(DType type) { return row(type).bytes; }
DTypeClass classOf(DType type) { return row(type).category; }

std::optional<DType> parseShortDType(llvm::StringRef text) {
  return findRow(text, [](const DTypeRow &r) { return r.shortName; });
}

std::optional<DType> parseTorchDType(llvm::StringRef text) {
  llvm::StringRef canonical = llvm::StringSwitch<llvm::StringRef>(text)
                                  .Case("float", "float32")
                                  .Case("double", "float64")
                                  .Case("half", "float16")
                                  .Case("int", "int32")
                                  .Case("long", "int64")
                                  .Case("short", "int16")
                                  .Case("cfloat", "complex64")
                                  .Case("cdouble", "complex128")
                                  .Default(text);
  return findRow(canonical, [](const DTypeRow &r) { return r.torchName; });
}

std::optional<DType> parseScalarType(llvm::StringRef text) {
  return findRow(text, [](const DTypeRow &r) { return r.scalarTypeName; });
}

} // namespace ccgraph
