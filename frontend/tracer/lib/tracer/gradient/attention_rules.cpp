#include "tracer/gradient/gradient_rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// A backward operator yields the gradients of these operands together.
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

void efficient(GradientCall &c) {
  constexpr int withBias[] = {0, 1, 2, 3}; // the mask is among the operands
  if (!c.readsFirstAlone())
    return;
  if (!c.boolean(4, false))
    return c.fail("keeps no sums of its softmax: expected compute_log_sumexp = True");
  if (c.wants(c.operand(3)))
    return c.fail("is differentiated by its bias, which has no rule");
  c.giveElements(queryKeyValue, [&] {
    std::vector<Actual> args = {c.gradient(0), c.operand(0), c.operand(1), c.operand(2), c.argument(3)};
    for (int64_t result = 0; result < 4; ++result)
      args.emplace_back(c.resultElement(result));
    args.emplace_back(c.number(5, 0.0));
    args.push_back(c.wanted(withBias));
    args.emplace_back(c.boolean(6, false));
    return c.make("aten._scaled_dot_product_efficient_attention_backward.default", std::move(args),
                  {{"scale", c.argument(7)}});
  });
}

constexpr RuleEntry entries[] = {
    {"aten._scaled_dot_product_efficient_attention.default", efficient},
    {"aten._scaled_dot_product_flash_attention.default", flash},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flashOnCpu},
};

} // namespace

llvm::ArrayRef<RuleEntry> attentionRules() { return entries; }

} // namespace ccgraph::tracer::gradient
