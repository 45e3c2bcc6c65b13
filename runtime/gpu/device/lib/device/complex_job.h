// ComplexJob: a product of complex numbers, or their conjugates, element by element. A complex number is its real part
// and its imaginary part, side by side; strides count numbers.
//
// An operand may be the very window that is written: a thread reads a number whole before it stores one.
//
// Plain value. Failure: none.
#pragma once

#include "device/team.h"
#include "device/window.h"

namespace ccgraph::runtime::device {

enum class ComplexOp : uint8_t { Conjugate, Multiply };

struct ComplexJob {
  static constexpr bool hasWhole = false;
  Arithmetic arithmetic = Arithmetic::Single;
  ComplexOp op = ComplexOp::Multiply;
  Shape shape;
  /// their elements are parts of numbers
  Strided out, a, b;
};

template <typename C>
struct ComplexNumber {
  C real = C(), imaginary = C();
};
template <typename C>
CCGRAPH_ANYWHERE ComplexNumber<C> numberAt(const Strided &tensor, const Shape &shape, int64_t number) {
  int64_t place = 2 * placeOf(shape, tensor.strides, number);
  return {load<C>(tensor.data, tensor.element, place), load<C>(tensor.data, tensor.element, place + 1)};
}
template <typename C>
CCGRAPH_ANYWHERE ComplexNumber<C> valueOf(const ComplexJob &job, int64_t number) {
  auto a = numberAt<C>(job.a, job.shape, number);
  if (job.op == ComplexOp::Conjugate)
    return {a.real, -a.imaginary};
  auto b = numberAt<C>(job.b, job.shape, number);
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const ComplexJob &job) { return unitsOf(job.shape.count); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const ComplexJob &job, int64_t unit, Team &team) {
  team.each([&](int thread) {
    int64_t number = unit * teamThreads + thread;
    if (number >= job.shape.count)
      return;
    auto value = valueOf<C>(job, number);
    int64_t place = 2 * placeOf(job.shape, job.out.strides, number);
    store(job.out.data, job.out.element, place, value.real);
    store(job.out.data, job.out.element, place + 1, value.imaginary);
  });
}

} // namespace ccgraph::runtime::device
