// Element types of tensors: their names, sizes and classes.
//
// The set is PyTorch's (c10/core/ScalarType.h), without its quantized and bit types. There are three forms of names:
// the short one that print_readable writes ("bf16", "b8" for bool; torch/utils/_dtype_abbrs.py), the one of the Python
// API ("bfloat16", "bool"), and the one of c10::ScalarType ("BFloat16", "Bool"), which is in PyTorch's errors, profiles
// and flight records. Readers of graphs accept the first two; ccgraph's files contain the short one.
//
// Ownership: names are literals, valid for ever. Failure: a text that names no dtype gives an empty optional; all other
// functions are defined for every enumerator. Cost: parsing compares with each of some 25 names; all else is a table
// look-up.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace ccgraph {

enum class DType : uint8_t {
  U8,
  I8,
  I16,
  I32,
  I64,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  C32,
  C64,
  C128,
  Bool,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E8M0FNU,
  F4E2M1FNX2,
};

/// Number of enumerators of DType; they are dense from 0.
inline constexpr unsigned numDTypes = 22;

/// The class of a type in arithmetic; PyTorch's promotion orders the classes as listed.
enum class DTypeClass : uint8_t { Bool, Integer, Float, Complex };

/// Returns "bf16", "f32", "b8": the form of print_readable and of ccgraph's files.
llvm::StringRef shortName(DType type);
/// Returns "bfloat16", "float32", "bool": the form after `torch.`.
llvm::StringRef torchName(DType type);
/// Returns "BFloat16", "Float", "Bool": the name of the c10::ScalarType.
llvm::StringRef scalarTypeName(DType type);
/// Inverse of shortName; empty if the text names no dtype.
std::optional<DType> parseShortDType(llvm::StringRef text);
/// Inverse of torchName; also accepts the aliases of the Python API: float, double, half, int, long, short, and those
/// of the complex types.
std::optional<DType> parseTorchDType(llvm::StringRef text);
/// Inverse of scalarTypeName.
std::optional<DType> parseScalarType(llvm::StringRef text);

/// Returns the bytes of one element in memory. F4E2M1FNX2 packs two values in its one byte, so its elements are pairs.
unsigned sizeInBytes(DType type);
/// Returns the class: floats of 8 and 4 bits are floats; bool is a class of its own.
DTypeClass classOf(DType type);
inline bool isFloat(DType type) { return classOf(type) == DTypeClass::Float; }
inline bool isComplex(DType type) { return classOf(type) == DTypeClass::Complex; }

} // namespace ccgraph
