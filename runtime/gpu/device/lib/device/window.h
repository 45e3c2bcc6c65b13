// Windows in the form of devices: the layout of elements, and the address of an element by its number.
//
// A shape gives the number of elements, row-major; each tensor over it has its strides, in elements, 0 where it is
// expanded.
//
// Plain values, passed to a launch as they are; addresses are the device's. Failure: none. Cost: a division for each
// dimension but one.
#pragma once

#include "device/element.h"

namespace ccgraph::runtime::device {

/// The largest number of dimensions, after neighbours are merged where all tensors of the shape allow it.
inline constexpr int mostDimensions = 8;

struct Shape {
  int dimensions = 0;
  int64_t sizes[mostDimensions] = {};
  /// their product
  int64_t count = 1;
};

/// A tensor over a shape that is passed separately.
struct Strided {
  std::byte *data = nullptr;
  Element element = Element::U8;
  int64_t strides[mostDimensions] = {};
};

/// Returns the offset of element `number` of the shape, in elements. The first is at 0 even in a shape without
/// elements: an empty sum has a place.
CCGRAPH_ANYWHERE inline int64_t placeOf(const Shape &shape, const int64_t *strides, int64_t number) {
  int64_t place = 0;
  for (int d = shape.dimensions - 1; d > 0 && number != 0; --d) {
    place += number % shape.sizes[d] * strides[d];
    number /= shape.sizes[d];
  }
  return place + number * strides[0];
}

template <typename C>
CCGRAPH_ANYWHERE C loadAt(const Strided &tensor, const Shape &shape, int64_t number) {
  return load<C>(tensor.data, tensor.element, placeOf(shape, tensor.strides, number));
}
template <typename C>
CCGRAPH_ANYWHERE void storeAt(const Strided &tensor, const Shape &shape, int64_t number, C value) {
  store<C>(tensor.data, tensor.element, placeOf(shape, tensor.strides, number), value);
}

} // namespace ccgraph::runtime::device
