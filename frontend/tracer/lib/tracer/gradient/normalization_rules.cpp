#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Softmax and its logarithm, whose backward operators read the result.
void softmaxBy(GradientCall &c, llvm::StringRef backward) {
  c.give(0, [&] { return c.make(backward, {c.gradient(), c.node(), c.argument(1), c.dtype(c.operand(0))}); });
}
void softmax(GradientCall &c) { softmaxBy(c, "aten._softmax_backward_data.default"); }
void logSoftmax(GradientCall &c) { softmaxBy(c, "aten._log_softmax_backward_data.default"); }

void layerNorm(GradientCall &c) {
  constexpr int positions[] = {0, 2, 3};
  if (!c.readsFirstAlone())
    return;
  c.giveElements(positions, [&] {
    return c.make("aten.native_layer_norm_backward.default",
                  {c.gradient(0), c.operand(0), c.argument(1), c.resultElement(1), c.resultElement(2), c.argument(2),
                   c.argument(3), c.wanted(positions)});
  });
}

void rmsNorm(GradientCall &c) {
  constexpr int positions[] = {0, 2};
  if (!c.readsFirstAlone())
    return;
  c.giveElements(positions, [&] {
    return c.make("aten._fused_rms_norm_backward.default",
                  {c.gradient(0), c.operand(0), c.argument(1), c.resultElement(1), c.argument(2), c.wanted(positions)});
  });
}

void dropout(GradientCall &c) {
  if (!c.gradient(0))
    return;
  double kept = 1.0 - c.number(1, 0.0);
  c.give(0, [&] {
    return c.make("aten.native_dropout_backward.default",
                  {c.gradient(0), c.resultElement(1), kept == 0.0 ? 0.0 : 1.0 / kept});
  });
}

constexpr RuleEntry entries[] = {
    {"aten._softmax.default", softmax},
    {"aten._log_softmax.default", logSoftmax},
    {"aten.native_layer_norm.default", layerNorm},
    {"aten._fused_rms_norm.default", rmsNorm},
    {"aten.native_dropout.default", dropout},
};

} // namespace

llvm::ArrayRef<RuleEntry> normalizationRules() { return entries; }

} // namespace ccgraph::tracer::gradient
