// AdamJob: one parameter's step of Adam or AdamW (I. Loshchilov, F. Hutter, 2019), as torch.optim fuses it.
//
// The count of steps, and a rate that is a tensor, are numbers in device memory, so a captured step keeps counting.
//
// Plain value. Failure: none; with `foundInf` set nothing is written.
#pragma once

#include "device/map_job.h"

namespace ccgraph::runtime::device {

/// A number: of the device where it has an address.
struct Number {
  std::byte *data = nullptr;
  Element element = Element::F32;
  double value = 0;
};
CCGRAPH_ANYWHERE inline double valueOf(const Number &number) {
  return number.data ? load<double>(number.data, number.element, 0) : number.value;
}

struct AdamJob {
  static constexpr bool hasWhole = false;
  Arithmetic arithmetic = Arithmetic::Single;
  Shape shape;
  Strided param, grad, average, square;
  /// amsgrad's; not there where it has no address
  Strided largest;
  Number rate, step, gradScale, foundInf;
  double beta1 = 0.9, beta2 = 0.999, decay = 0, epsilon = 1e-8;
  bool maximizes = false;
  /// AdamW; Adam adds the decay to the gradient
  bool decoupled = false;
  bool writesGrad = false;
};

template <typename C>
CCGRAPH_ANYWHERE void adamElement(const AdamJob &job, int64_t number) {
  double count = valueOf(job.step), rate = valueOf(job.rate);
  C stepSize = static_cast<C>(rate / (1 - std::pow(job.beta1, count)));
  C root = static_cast<C>(std::sqrt(1 - std::pow(job.beta2, count)));
  C param = loadAt<C>(job.param, job.shape, number);
  C grad = loadAt<C>(job.grad, job.shape, number) / static_cast<C>(valueOf(job.gradScale));
  if (job.writesGrad)
    storeAt<C>(job.grad, job.shape, number, grad);
  grad = job.maximizes ? -grad : grad;
  if (job.decoupled)
    param -= static_cast<C>(rate * job.decay) * param;
  else
    grad += static_cast<C>(job.decay) * param;
  C average = loadAt<C>(job.average, job.shape, number);
  C square = loadAt<C>(job.square, job.shape, number);
  average += static_cast<C>(1 - job.beta1) * (grad - average);
  square = static_cast<C>(job.beta2) * square + static_cast<C>(1 - job.beta2) * grad * grad;
  storeAt<C>(job.average, job.shape, number, average);
  storeAt<C>(job.square, job.shape, number, square);
  if (job.largest.data) {
    square = maximumOf(loadAt<C>(job.largest, job.shape, number), square);
    storeAt<C>(job.largest, job.shape, number, square);
  }
  param -= stepSize * average / (std::sqrt(square) / root + static_cast<C>(job.epsilon));
  storeAt<C>(job.param, job.shape, number, param);
}

CCGRAPH_ANYWHERE inline int64_t unitsOf(const AdamJob &job) { return unitsOf(job.shape.count); }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const AdamJob &job, int64_t unit, Team &team) {
  if (valueOf(job.foundInf) != 0)
    return;
  team.each([&](int thread) {
    int64_t number = unit * teamThreads + thread;
    if (number < job.shape.count)
      adamElement<C>(job, number);
  });
}

} // namespace ccgraph::runtime::device
