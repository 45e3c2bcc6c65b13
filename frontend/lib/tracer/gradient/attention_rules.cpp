#include "tracer/gradient/rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Backward operators yield the gradients of these at once.
constexpr int queryKeyValue[] = {0, 1, 2};

void flash(GradientCall &c) {
  if (!c.readsFirstAlone())
    return;
  c.giveElements(queryKeyValue, [&] {
    std::vector<Actual> args = {c.gradient(0), c.operand(0), c.operand(1), c.operand(2)};
    for (int64_t result = 0; result < 6; ++result)
      args.emplace_back(c.resultElement(result));
    args.emplace_back(c.number(3, 0.0));
    args.emplace_back(c.boolean(4, false));
    for (int64_t result : {6, 7})
      args.emplace_back(c.resultElement(result));
    return c.make("aten._scaled_dot_product_flash_attention_backward.default", std::move(args),
                  {{"scale", c.argument(6)}});
  });
}

void flashOnCpu(GradientCall &c) {
  if (!c.readsFirstAlone())
    return;
  c.giveElements(queryKeyValue, [&] {
    return c.make("aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
                  {c.gradient(0), c.operand(0), c.operand(1), c.operand(2), c.resultElement(0), c.resultElement(1),
                   c.number(3, 0.0), c.boolean(4, false)},
                  {{"attn_mask", c.argument(5)}, {"scale", c.argument(6)}});
  });
}

constexpr RuleEntry entries[] = {
    {"aten._scaled_dot_product_flash_attention.default", flash},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flashOnCpu},
};

} // namespace

llvm::ArrayRef<RuleEntry> attentionRules() { return entries; }

} // namespace ccgraph::tracer::gradient
