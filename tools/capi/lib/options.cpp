#include "handles.h"

#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/pass_options.h"

#include "llvm/ADT/StringSwitch.h"

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

ccgraph_error *badValue(llvm::StringRef name, llvm::StringRef value, llvm::StringRef expected) {
  return usage(("option '" + name + "': got '" + value + "', expected " + expected).str());
}

ccgraph_error *setSwitch(llvm::StringRef name, llvm::StringRef value, bool &where, bool whenTrue) {
  if (value != "true" && value != "false")
    return badValue(name, value, "true or false");
  where = (value == "true") == whenTrue;
  return nullptr;
}

ccgraph_error *setBudget(PassManagerOptions &manager, llvm::StringRef value) {
  return setMemoryBudget(manager, value) ? nullptr : badValue("memory-budget", value, memoryBudgetForms);
}

ccgraph_error *setSizes(ccgraph_options &options, llvm::StringRef value) {
  llvm::Expected<SymbolValues> sizes = parseSymbolValues(value);
  if (!sizes) {
    llvm::consumeError(sizes.takeError());
    return badValue("bind", value, "symbols and their sizes, such as s0=4096,s1=8");
  }
  options.sizes = std::move(*sizes);
  return nullptr;
}

ccgraph_error *setNumber(llvm::StringRef name, llvm::StringRef value, size_t &where) {
  size_t number = 0;
  if (value.getAsInteger(10, number) || number == 0 || number > mostRanks)
    return badValue(name, value, "a number from 1 to " + std::to_string(mostRanks));
  where = number;
  return nullptr;
}

ccgraph_error *setSemantics(ccgraph_options &options, llvm::StringRef value) {
  std::vector<jobs::Semantics> under;
  llvm::SmallVector<llvm::StringRef> words;
  value.split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    std::optional<jobs::Semantics> semantics = jobs::parseSemantics(word);
    if (!semantics)
      return badValue("under", value, "some of dataflow, streams, one-at-a-time, blocking, blocking-buffered");
    under.push_back(*semantics);
  }
  options.under = std::move(under);
  return nullptr;
}

} // namespace

ccgraph_options *ccgraph_options_new(void) { return new ccgraph_options; }
void ccgraph_options_free(ccgraph_options *options) { delete options; }

ccgraph_error *ccgraph_options_set(ccgraph_options *options, const char *name, const char *value) {
  llvm::StringRef key = textOf(name);
  if (!options || !name || !value)
    return usage("ccgraph_options_set: got NULL, expected options, a name and a value");
  if (key == "memory-budget")
    return setBudget(options->manager, value);
  if (key == "bind")
    return setSizes(*options, value);
  if (key == "bitwise")
    return setSwitch(key, value, options->manager.bitwise, true);
  if (key == "views")
    return setSwitch(key, value, options->views, true);
  if (key == "replay")
    return setSwitch(key, value, options->replays, true);
  if (key == "under")
    return setSemantics(*options, value);
  if (key == "ranks")
    return setNumber(key, value, options->ranks);
  if (key == "max-resident")
    return setNumber(key, value, options->mostResident);
  if (key == "same-as-ranks")
    return setNumber(key, value, options->sameAsRanks);
  if (key == "trials")
    return setNumber(key, value, options->trials);
  if (key == "stages")
    return setNumber(key, value, options->stages);
  if (key == "ranks-differ")
    return setSwitch(key, value, options->manager.spmd, false);
  auto *text = llvm::StringSwitch<std::string *>(key)
                   .Case("pipeline", &options->pipeline)
                   .Case("schedule", &options->schedule)
                   .Case("machine", &options->machine)
                   .Case("durations", &options->durations)
                   .Case("groups", &options->groups)
                   .Case("placements", &options->placements)
                   .Case("same-as-groups", &options->sameAsGroups)
                   .Case("same-as-placements", &options->sameAsPlacements)
                   .Case("engine", &options->engine)
                   .Case("stage-graphs", &options->stageGraphs)
                   .Case("stage-sizes", &options->stageSizes)
                   .Default(nullptr);
  if (!text)
    return usage(("there is no option '" + key + "'").str(),
                 "the options are pipeline, schedule, machine, durations, groups, memory-budget, bind, bitwise, "
                 "ranks-differ, views, under, ranks, max-resident, replay, stages, stage-graphs, stage-sizes, "
                 "placements, same-as-groups, same-as-placements, same-as-ranks, trials, engine");
  *text = value;
  options->choosesPipeline |= key == "pipeline";
  return nullptr;
}
