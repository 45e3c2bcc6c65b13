// HostTensor: tensor values in host memory, as files contain them and as runs return them.
//
// Elements are stored contiguously in row-major order, little-endian, in the dtype's own representation (bool: one byte
// 0 or 1; complex: real, imaginary). It is a plain value that crosses between folders: readers create it, engines
// accept and return it, writers store it. It has no strides and no device: those belong to a graph's types.
//
// Ownership: owns its bytes. Failure: none; the creator ensures that `data` has the length which dtype and sizes
// require (readers check it, and reject sizes whose product overflows). Cost: copying copies the bytes; move it.
#pragma once

#include "ccgraph/ir/dtype.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ccgraph {

struct HostTensor {
  DType dtype = DType::F32;
  /// in elements; empty for a 0-d tensor
  std::vector<int64_t> sizes;
  /// exactly numElements() * sizeInBytes(dtype) bytes
  std::vector<std::byte> data;

  [[nodiscard]] int64_t numElements() const;
  /// "f32[2, 3]".
  [[nodiscard]] std::string typeText() const;
};

/// Named tensors of one rank, in name order: "in.x_1", "out.0", "after.x_1", "attr.w".
using TensorMap = std::map<std::string, HostTensor>;

} // namespace ccgraph
