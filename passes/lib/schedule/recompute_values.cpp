// recompute-values: v = exp(x); r(v); ...; s(v)   ->   v = exp(x); r(v); ...; u = exp(x); s(u)
//
// Values of the forward pass that the backward pass reads are live at the loss, where most memory is needed. This pass
// computes cheap ones again near their late readers: under a budget below the peak of the program as it stands, and
// with when=always also where the freed memory makes the step faster, since collectives can then be issued earlier. It
// prepares schedule-overlap, whose search evaluates each choice. keep-gathered does the reverse where there is memory
// to spare.
//   may we      rewrite/recomputation.h: pure, cheap calls with a time of their own, and all_gathers, of operands that
//               are unchanged; with offload=below-peak, where the machine has a link to the host, rewrite/offloading.h
//   which       values at the peak, those first that free the most bytes for a microsecond, in two orders: a gather
//               takes its time, or none because it overlaps with computation; in parts that reduce the peak by a
//               sixteenth, two sixteenths, ... of it (schedule/freeing_search.h). Where the budget is met without any
//               part, only some of them are tried, and after two parts with repeated gathers that fit and are not
//               faster, no larger one. Of these parts, and of the program without any, the one with the fastest
//               schedule within the budget counts, where repeated gathers must save a thousandth of the step; of
//               equally fast ones (to a nanosecond), the one with the lowest bound, and then with the lowest bound
//               after keep-gathered; if none fits, the one of the lowest peak
//   do it       the same files
// The same kernels compute the same numbers, and copies move elements unchanged, so results are bitwise equal.
#include "ccgraph/passes/registry.h"
#include "schedule/freeing_pass.h"

namespace ccgraph {

namespace {

/// Whether results of all_gathers are gathered again.
enum class Gathers : uint8_t { Again, Kept };

/// Whether values may be kept in the host's memory instead.
enum class Offload : uint8_t { Never, BelowPeak };

class RecomputeValues final : public FreeingPass {
public:
  RecomputeValues()
      : FreeingPass(
            {.name = "recompute-values",
             .description = "Computes cheap values again near their late readers instead of keeping them, where "
                            "memory is scarce.",
             .phase = Phase::Simplify,
             .choosesNodes = true},
            {UsualAction::Recompute, "be computed again",
             "the values that are computed again, each with the step up to which it is kept at most as in "
             "v.loss, and those that are offloaded as in v.loss.host, in this order and without a prediction; *: "
             "the pass chooses them"}) {}
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<RecomputeValues>(); }

private:
  void allow(FreeingSetting &setting, const PassContext &context, bool isBelow) const override {
    setting.recompute = true;
    setting.offload = isBelow && offload_.get() == Offload::BelowPeak && context.cost().machine().hostLink.exists();
  }
  [[nodiscard]] bool mayGatherAgain() const override { return gathers_.get() == Gathers::Again; }
  [[nodiscard]] FreeingReasons reasons() const override {
    return {.recompute = {&cheap_, &chain_, &written_, &opaque_, &flight_, &smaller_, &unknown_},
            .offload = {&offloads_.small, nullptr, &offloads_.part, &offloads_.readThere, nullptr, &offloads_.otherName,
                        nullptr},
            .notFaster = &whole_};
  }
  void count(const FreeingSearch &search) override {
    searched_ += search.searched();
    after_ += search.best().picoseconds / picosecondsOfNs;
  }
  void report(const FreedValues &values, PassContext &context) override;
  void add(const Recomputed &value, PassContext &context);

  ChoiceOption<Gathers> gathers_{*this,
                                 "gathers",
                                 Gathers::Again,
                                 {{"again", Gathers::Again}, {"kept", Gathers::Kept}},
                                 "again: results of all_gathers may be gathered again; kept: no collective is added"};
  ChoiceOption<Offload> offload_{
      *this,
      "offload",
      Offload::Never,
      {{"never", Offload::Never}, {"below-peak", Offload::BelowPeak}},
      "below-peak: under a memory budget below the peak of the program, values may also be kept in the host's memory, "
      "where the machine has a link to the host; never: they are only computed again"};
  Statistic values_{*this, "recomputed", "values that are computed again"};
  Statistic calls_{*this, "calls", "calls that are repeated for them"};
  Statistic bytes_{*this, "bytes", "bytes of the values, less those that are kept instead"};
  Statistic cost_{*this, "cost-ns", "predicted time of the repeated computation, in nanoseconds"};
  Statistic gatheredAgain_{*this, "gathered", "all_gathers among the repeated calls"};
  Statistic gatherTime_{*this, "gather-ns", "predicted time of these all_gathers, in nanoseconds"};
  OffloadReport offloads_{*this, "offloaded-bytes"};
  Statistic searched_{*this, "searched", "parts, with none among them, whose schedule was searched"};
  Statistic after_{*this, "after-ns", "predicted step of the best schedule with the chosen part, in nanoseconds"};
  Reason recomputed_{
      *this, RemarkKind::Rewritten, "recomputed",
      "is computed again before `reader` by `calls` calls, which take `cost-ns` ns, so that `bytes` bytes "
      "are not kept after `kept-to`"};
  Reason cheap_{*this, RemarkKind::Missed, "not-cheap",
                "is live at the peak, and some call that computes it is expensive, random, or has an effect"};
  Reason chain_{*this, RemarkKind::Missed, "long-chain", "is live at the peak, and more than 16 calls compute it"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "is live at the peak, and some step writes it, or what the calls read that compute it"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "is live at the peak, and an opaque operator before its late readers may write any value"};
  Reason flight_{*this, RemarkKind::Missed, "in-flight", "is live at the peak, because a collective has it in flight"};
  Reason smaller_{*this, RemarkKind::Missed, "not-smaller",
                  "is live at the peak, and the values that would be kept instead are as large"};
  Reason unknown_{*this, RemarkKind::Missed, "unknown-time",
                  "is live at the peak, and the durations give no time to some call that computes it, since it is a "
                  "part of a fused kernel or unknown"};
  Reason whole_{*this, RemarkKind::Missed, "not-faster",
                "is live at the peak, and no schedule with more values computed again or offloaded is faster or needs "
                "less memory"};
};

void RecomputeValues::add(const Recomputed &value, PassContext &context) {
  context.remark(recomputed_, *value.value,
                 {{"reader", value.reader->name().str().str()},
                  {"calls", std::to_string(value.calls.size())},
                  {"cost-ns", std::to_string((value.picoseconds + value.gatherTime) / picosecondsOfNs)},
                  {"bytes", std::to_string(value.bytes)},
                  {"kept-to", value.after->name().str().str()}});
  stateRepetitions(value, context.certificate());
  ++values_;
  calls_ += static_cast<int64_t>(value.calls.size());
  bytes_ += value.bytes;
  cost_ += value.picoseconds / picosecondsOfNs;
  gatheredAgain_ += value.gatherTime > 0;
  gatherTime_ += value.gatherTime / picosecondsOfNs;
}

void RecomputeValues::report(const FreedValues &values, PassContext &context) {
  for (const Recomputed &value : values.recomputed())
    add(value, context);
  for (const Offloaded &value : values.offloaded())
    offloads_.add(value, context);
}

} // namespace

std::unique_ptr<Pass> createRecomputeValues() { return std::make_unique<RecomputeValues>(); }

} // namespace ccgraph
