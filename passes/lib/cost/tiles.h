// Tiles: the share of a device that a matrix product occupies.
//
// A product is computed in tiles of 128 x 128 elements of the result, one at a time on each multiprocessor (NVIDIA,
// "Matrix Multiplication Background User's Guide", sections on tile and wave quantization). The last wave may leave
// multiprocessors idle: 896 tiles on 132 multiprocessors take 7 waves, which 924 tiles would fill. A part of a product
// may fill its waves less than the whole does, so it takes longer than its share of the operations.
//
// Ownership: none; pure functions. Failure: none. Cost: a division.
#pragma once

#include "ccgraph/ir/machine.h"
#include "ccgraph/ir/node.h"

#include <optional>

namespace ccgraph {

/// The sizes of a product of two matrices: rows x inner times inner x columns.
struct ProductSizes {
  int64_t rows = 0;
  int64_t inner = 0;
  int64_t columns = 0;
  [[nodiscard]] double multiplications() const {
    return static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }
};

/// Returns the sizes of an aten.mm of known sizes; empty for any other node.
[[nodiscard]] std::optional<ProductSizes> productSizes(const Node &node);

/// Returns the number of tiles divided by the number that the waves have room for, in (0, 1]. 1 for a machine without
/// multiprocessors, and for a product without elements.
[[nodiscard]] double filledTiles(const Machine &machine, int64_t rows, int64_t columns);

/// Returns the time of a part of a product divided by the time of the whole, both without launches.
[[nodiscard]] double shareOfProduct(const Machine &machine, const ProductSizes &part, const ProductSizes &whole);

} // namespace ccgraph
