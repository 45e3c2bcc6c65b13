// Measures the verification of plans of 1,000 to 36,000 steps with the structure of a training step: layers of kernels
// on one stream, and collectives of several groups in parallel. `items_per_second` counts steps.

#include "ccgraph/ir/plan_verifier.h"
#include "support/plan_draft.h"

#include <benchmark/benchmark.h>

using namespace ccgraph;

namespace {

constexpr int64_t elements = 1024;
constexpr int64_t slots = 64;

/// Builds the layers: gathers on one of `groups` streams one layer ahead, kernels that reuse memory, a reduction at the
/// end.
std::unique_ptr<test::PlanDraft> layeredPlan(size_t steps, size_t groups) {
  auto draft = std::make_unique<test::PlanDraft>();
  test::PlanDraft &d = *draft;
  std::vector<StreamId> streams;
  for (size_t i = 0; i < groups; ++i)
    streams.push_back(d.collectives(d.group("g" + std::to_string(i), {0, 1})));
  PlanWindow weight = d.input("weight", elements);
  PlanWindow last = d.compute("first", elements, 0);
  d.kernel("aten.relu.default", {d.reads(weight)}, last);
  std::vector<size_t> lastUse(slots, 0); // the last computation step that uses each slot of communication memory
  for (size_t layer = 0; d.plan.steps.size() < steps; ++layer) {
    auto place = static_cast<int64_t>(layer % slots);
    PlanWindow full = d.communication("full" + std::to_string(layer), 2 * elements, place * elements * 8);
    StreamId stream = streams[layer % groups];
    size_t gather = d.start(stream, {d.call(CollectiveKind::AllGather, stream, weight, full)});
    if (layer >= static_cast<size_t>(slots))
      d.wait(gather, lastUse[static_cast<size_t>(place)]);
    for (int64_t i = 0; i < 8; ++i) {
      int64_t at = (static_cast<int64_t>(layer) * 8 + i + 1) % slots * elements * 4;
      PlanWindow next = d.compute("x" + std::to_string(d.plan.steps.size()), elements, at);
      size_t step = i == 0
                        ? d.kernel("aten.add.Tensor", {d.reads(last), d.reads(d.window(full.buffer, elements))}, next)
                        : d.kernel("aten.relu.default", {d.reads(last)}, next);
      if (i == 0) {
        d.wait(step, gather);
        lastUse[static_cast<size_t>(place)] = step;
      }
      last = next;
    }
  }
  d.returns(last);
  return draft;
}

void verifyLayers(benchmark::State &state) {
  std::unique_ptr<test::PlanDraft> draft =
      layeredPlan(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
  for (auto _ : state)
    if (!verifyPlan(draft->plan).empty())
      state.SkipWithError(toString(verifyPlan(draft->plan, {.limit = 1})).c_str());
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * draft->plan.steps.size()));
}

} // namespace

BENCHMARK(verifyLayers)->ArgsProduct({{1000, 6000, 36000}, {2, 16}})->Unit(benchmark::kMillisecond);
