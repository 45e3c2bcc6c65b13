// offload-values: v = mm(x, y); r(v); ...; s(v)
//   ->  v = mm(x, y); o = offload(v); r(v); h = wait(o, v); ...; l = reload(h, device); w = wait(l, h); s(w)
//
// Values of the forward pass that the backward pass reads are live at the loss, where most memory is needed.
// recompute-values frees the cheap ones, and with offload=below-peak, as in -O3, others too. This pass only offloads:
// it keeps values such as products of matrices in the host's memory meanwhile, under a budget below the peak of the
// program as it stands. The copies run on a stream of their own, and schedule-overlap decides when they are issued. So
// budgets become reachable that no order of the input meets.
//   may we      rewrite/offloading.h: values with a storage of their own that nothing writes, and a machine with a link
//               to the host (Machine::hostLink)
//   which       values at the peak, those first that free the most bytes for a microsecond of their copies that no
//               computation hides; in parts that reduce the peak by a sixteenth, two sixteenths, ... of it. Of these
//               parts, and of the program without any, the one with the fastest schedule within the budget counts; if
//               none fits, the one of the lowest peak
//   do it       rewrite/offloading.h
// Copies move elements unchanged, so results are bitwise equal.
#include "ccgraph/passes/registry.h"
#include "schedule/freeing_pass.h"

namespace ccgraph {

namespace {

class OffloadValues final : public FreeingPass {
public:
  OffloadValues()
      : FreeingPass(
            {.name = "offload-values",
             .description = "Keeps large values in the host's memory between their early and late readers, "
                            "where the machine has a link to the host and memory is scarce.",
             .phase = Phase::Simplify,
             .choosesNodes = true},
            {UsualAction::Offload, "be offloaded",
             "the values that are offloaded, each with the step up to which it is kept at most as in v.loss, in "
             "this order and without a prediction; *: the pass chooses them"}) {}
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<OffloadValues>(); }

private:
  void allow(FreeingSetting &setting, const PassContext &context, bool /*isBelow*/) const override {
    setting.offload = context.cost().machine().hostLink.exists();
  }
  [[nodiscard]] FreeingReasons reasons() const override {
    return {.offload = {&report_.small, &written_, &report_.part, &report_.readThere, &flight_, &report_.otherName,
                        &opaque_},
            .notFaster = &slower_};
  }
  void count(const FreeingSearch &search) override {
    searched_ += search.searched();
    after_ += search.best().picoseconds / picosecondsOfNs;
  }
  void report(const FreedValues &values, PassContext &context) override {
    for (const Offloaded &value : values.offloaded())
      report_.add(value, context);
  }

  OffloadReport report_{*this, "bytes"};
  Statistic searched_{*this, "searched", "parts, with none among them, whose schedule was searched"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the chosen part, in nanoseconds"};
  Reason written_{*this, RemarkKind::Missed, "written", "is live at the peak, and some step writes it"};
  Reason flight_{*this, RemarkKind::Missed, "in-flight", "is live at the peak, because a collective has it in flight"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "is live at the peak, and an opaque operator before its late readers may use any value"};
  Reason slower_{*this, RemarkKind::Missed, "not-faster",
                 "is live at the peak, and no schedule with more offloaded values is faster or needs less memory"};
};

} // namespace

std::unique_ptr<Pass> createOffloadValues() { return std::make_unique<OffloadValues>(); }

} // namespace ccgraph
