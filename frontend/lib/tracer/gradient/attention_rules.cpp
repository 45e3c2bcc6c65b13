#include "tracer/gradient/rules.h"

namespace ccgraph::tracer::gradient {
namespace {

/// Backward operators yield the gradients of query, key and value at once.
void attentionBy(GradientCall &c, llvm::function_ref<Node *()> makeBackward) {
  for (size_t statistic = 1; statistic < c.node()->type()->elements().size(); ++statistic)
    if (c.gradient(statistic))
      c.fail("differentiates its statistics, which has no rule");
  if (!c.gradient(0))
    return;
  Node *all = nullptr;
  for (int operand = 0; operand < 3; ++operand)
    c.give(operand, [&] {
      all = all ? all : makeBackward();
      return c.element(all, operand);
    });
}

void flash(GradientCall &c) {
  attentionBy(c, [&] {
    std::vector<Actual> args = {c.gradient(0), c.operand(0), c.operand(1), c.operand(2)};
    for (int64_t result = 0; result < 6; ++result)
      args.emplace_back(c.resultElement(result));
    args.emplace_back(c.number(3, 0.0));
    args.emplace_back(c.boolean(4, false));
    for (int64_t result : {6, 7})
      args.emplace_back(c.resultElement(result));
    return c.make("aten._scaled_dot_product_flash_attention_backward.default", std::move(args),
                  {{"scale", c.keyword("scale", Actual::none())}});
  });
}

void flashOnCpu(GradientCall &c) {
  attentionBy(c, [&] {
    return c.make(
        "aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
        {c.gradient(0), c.operand(0), c.operand(1), c.operand(2), c.resultElement(0), c.resultElement(1),
         c.number(3, 0.0), c.boolean(4, false)},
        {{"attn_mask", c.keyword("attn_mask", Actual::none())}, {"scale", c.keyword("scale", Actual::none())}});
  });
}

constexpr RuleEntry entries[] = {
    {"aten._scaled_dot_product_flash_attention.default", flash},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", flashOnCpu},
};

} // namespace

llvm::ArrayRef<RuleEntry> attentionRules() { return entries; }

} // namespace ccgraph::tracer::gradient
