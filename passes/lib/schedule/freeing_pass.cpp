#include "schedule/freeing_pass.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"
#include "schedule/pass_search.h"

namespace ccgraph {

std::vector<std::string> FreeingPass::choose(Graph &graph, PassContext &context) {
  FreeingSetting setting{.gatherAgain = mayGatherAgain(),
                         .actionPerValue = context.actionPerValue(),
                         .parts = parts_.get().limit.value_or(FreeingSetting::mostParts),
                         .options = searchOptionsOf(context, walks_.get(), beam_.get())};
  // Several searches of a larger program take longer than the rest of the pipeline.
  constexpr size_t mostNodes = 16'000, mostThorough = 12'000;
  if (graph.size() > mostThorough)
    setting.options.maxWalks = std::min(setting.options.maxWalks, usualWalks);
  const bool always = when_.get() == Occasion::Always && graph.size() <= mostNodes;
  const int64_t budget = setting.options.budget;
  // No pass before this one exceeds a budget that the input meets.
  const bool isBelowInput = budget < context.inputPeak().value_or(overlap::unlimited);
  if (!always && !isBelowInput)
    return {};
  setting.peakBytes = peakMemory(graph, context.analyses().storages()).bytes;
  const bool isBelow = isBelowInput && budget < setting.peakBytes;
  if (!always && !isBelow)
    return {};
  allow(setting, context, isBelow);
  if (!setting.recompute && !setting.offload)
    return {};
  FreeingSearch search(graph, context, std::move(setting));
  search.choose();
  search.remarkKept(reasons());
  count(search);
  return search.best().values;
}

/// Returns why the value that the option names cannot be freed.
llvm::Error FreeingPass::refuse(llvm::StringRef text, const PassContext &context) const {
  const Machine &machine = context.cost().machine();
  if (FreedValues::isOffloaded(text, named_.usual) && !machine.hostLink.exists())
    return makeError(diagnose("pass.option",
                              "option 'only' names values to offload, but the machine '" + machine.name +
                                  "' states no link to the host; expected a machine with one",
                              "give --machine FILE with \"host_link\": {\"gb_per_s\": ..., \"latency_us\": ...}"));
  return makeError(diagnose("pass.option",
                            ("option 'only' got '" + text + "', expected a value that may " + named_.what +
                             " and the step up to which it is kept at most, as in v.loss")
                                .str(),
                            "name values and steps as --remarks lists them for this pass, in this order, or leave the "
                            "option out"));
}

llvm::Expected<Changed> FreeingPass::run(Graph &graph, PassContext &context) {
  done_.clear();
  if (!graph.front())
    return Changed::No;
  const std::vector<std::string> &named = only_.get().names;
  const std::vector<std::string> names = named.empty() ? choose(graph, context) : named;
  if (names.empty())
    return Changed::No;
  const ProgramFacts &facts = context.analyses().facts();
  const RepeatableGathers gathers(graph, facts, context.spmd());
  FreedValues freed(graph, facts, context.cost(), {.gathers = mayGatherAgain() ? &gathers : nullptr});
  for (const std::string &text : names)
    if (!freed.free(text, named_.usual))
      return refuse(text, context);
  report(freed, context);
  done_ = freed.texts(named_.usual);
  return Changed::Yes;
}

OffloadReport::OffloadReport(Pass &pass, llvm::StringRef bytesName)
    : values(pass, "offloaded", "values that are copied to the host and back"),
      bytes(pass, bytesName, "bytes of these values"),
      copies(pass, "copies-ns", "predicted time of the copies to the host and back, in nanoseconds"),
      offloaded(
          pass, RemarkKind::Rewritten, "offloaded",
          "is in the host's memory between `kept-to` and `reader`, so that `bytes` bytes are free; each of its two "
          "copies takes `copy-ns` ns"),
      small(pass, RemarkKind::Missed, "small",
            "is live at the peak, and the latency of a copy is longer than the time of its bytes"),
      part(pass, RemarkKind::Missed, "part",
           "is live at the peak, and does not fill a storage alone, or its layout or device is unknown"),
      readThere(pass, RemarkKind::Missed, "read-at-peak", "is live at the peak, and the step there reads it"),
      otherName(pass, RemarkKind::Missed, "other-name",
                "is live at the peak, and a late reader names it by more than a few views of it") {}

void OffloadReport::add(const Offloaded &value, PassContext &context) {
  context.remark(offloaded, *value.value,
                 {{"reader", value.reader->name().str().str()},
                  {"bytes", std::to_string(value.bytes)},
                  {"copy-ns", std::to_string(value.picoseconds / picosecondsOfNs)},
                  {"kept-to", value.after->name().str().str()}});
  stateOffload(value, context.certificate());
  ++values;
  bytes += value.bytes;
  copies += 2 * value.picoseconds / picosecondsOfNs;
}

} // namespace ccgraph
