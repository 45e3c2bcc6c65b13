// Checks that windows lie in buffers, buffers in arenas, and inputs in the caller's memory.
#include "plan_verifier/plan_rules.h"

#include "ccgraph/ir/value_names.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph::plan_verifier {
namespace {

bool liesInArena(Home home) { return home == Home::Compute || home == Home::Communication; }
bool isCallers(Home home) { return home == Home::Input || home == Home::Attribute; }

class MemoryRules {
public:
  MemoryRules(Report &report, const Places &places)
      : report_(report), plan_(report.plan()), places_(places), shown_(plan_.buffers.size()) {}

  void run() {
    for (BufferId buffer = 0; buffer < plan_.buffers.size(); ++buffer)
      checkBuffer(buffer);
    for (const PlanInput &input : plan_.inputs)
      checkInput(input);
    for (size_t step = 0; step < plan_.steps.size(); ++step)
      checkStep(step);
    for (size_t i = 0; i < plan_.outputs.size(); ++i)
      forEachWindow(plan_.outputs[i], [&](const PlanWindow &window) { checkWindow(outputName(i), window); });
  }

private:
  void checkBuffer(BufferId id) {
    const PlanBuffer &buffer = plan_.buffers[id];
    std::optional<int64_t> bytes = places_.valueOf(buffer.bytes);
    std::string where = "buffer " + std::to_string(id) + " " + buffer.name.str().str();
    // An input's sizes may depend on symbols whose values come from the input itself.
    if (isMadeInRun(buffer.home) || (!bytes && isCallers(buffer.home)))
      return;
    if (!bytes || *bytes < 0)
      report_.add(where, {"plan.layout",
                          "has " + (bytes ? std::to_string(*bytes) : buffer.bytes.str()) +
                              " bytes; expected a number that is known before the program runs, 0 or more",
                          "give the layout a value for each symbol of it, or let the buffer grow"});
    else if (liesInArena(buffer.home))
      checkPlace(id, *bytes, where);
  }

  void checkPlace(BufferId id, int64_t bytes, const std::string &where) {
    bool computes = plan_.buffers[id].home == Home::Compute;
    int64_t offset = places_.layout().offsets[id];
    int64_t size = computes ? places_.layout().computeBytes : places_.layout().communicationBytes;
    if (offset < 0 || offset > size || bytes > size - offset)
      report_.add(where, {"plan.bounds",
                          "takes " + bytesText({offset, saturatingAdd(offset, bytes)}) + " of the " +
                              homeName(plan_.buffers[id].home).str() + " arena; expected it within its " +
                              std::to_string(size) + " bytes",
                          "make the arena larger, or the offset smaller"});
    else if (offset % bufferAlignment != 0)
      report_.add(where, {"plan.bounds",
                          "begins at byte " + std::to_string(offset) + "; expected a multiple of " +
                              std::to_string(bufferAlignment),
                          "round its offset up"});
  }

  void checkWindow(const std::string &where, const PlanWindow &window) {
    const PlanBuffer &buffer = plan_.buffers[window.buffer];
    if (isMadeInRun(buffer.home))
      return;
    std::optional<ByteRange> range = places_.rangeIn(window);
    std::optional<int64_t> bytes = places_.valueOf(buffer.bytes);
    if (!range && isCallers(buffer.home))
      return;
    if (!range)
      report_.add(where,
                  {"plan.layout",
                   "has a window " + window.type->str() + " from element " + window.offset.str() + " of " +
                       bufferText(plan_, window.buffer) + "; expected numbers, or symbols of known value, 0 or more",
                   "give the layout a value for each symbol of it, or let the buffer grow"});
    else if (bytes && range->end > *bytes)
      report_.add(where, {"plan.bounds",
                          "reaches " + bytesText(*range) + " of " + bufferText(plan_, window.buffer) +
                              "; expected it within its " + std::to_string(*bytes) + " bytes",
                          "make the buffer larger, or the window's offset smaller"});
  }

  void checkInput(const PlanInput &input) {
    // The caller gives one value for a name, so two buffers would hold what the program treats as one tensor.
    if (!named_.insert(input.name).second)
      report_.add(input.name, {"plan.inputs", "is a second input of this name; expected one",
                               "let all who use it use the buffer of the first"});
    forEachWindow(input.value, [&](const PlanWindow &window) {
      checkWindow(input.name, window);
      if (!isCallers(plan_.buffers[window.buffer].home))
        report_.add(input.name,
                    {"plan.inputs",
                     "lies in " + bufferText(plan_, window.buffer) + " of home " +
                         homeName(plan_.buffers[window.buffer].home).str() + "; expected input or attribute",
                     "give the input a buffer of the caller's"});
    });
    forEachWindow(input.after, [&](const PlanWindow &window) {
      checkWindow(input.name + " afterwards", window);
      shown_[window.buffer] = true;
    });
  }

  void checkStep(size_t step) {
    std::string where = "step " + std::to_string(step) + " " + plan_.steps[step].name.str().str();
    auto visit = [&](const PlanWindow &window) { checkWindow(where, window); };
    if (const KernelStep *kernel = plan_.steps[step].kernel()) {
      for (const PlanOperand &operand : kernel->operands)
        forEachWindow(operand.value, visit);
      forEachWindow(kernel->result, visit);
    }
    forEachAccess(plan_.steps[step], [&](const PlanAccess &access) {
      if (!access.window)
        return;
      if (!plan_.steps[step].kernel())
        visit(*access.window);
      if (access.writes)
        checkShown(step, access.window->buffer);
    });
  }

  /// Checks that the plan declares a written input: otherwise the caller does not read it after the run.
  void checkShown(size_t step, BufferId buffer) {
    if (!isCallers(plan_.buffers[buffer].home) || shown_[buffer])
      return;
    shown_[buffer] = true;
    report_.add(
        step,
        {"plan.inputs",
         "writes " + bufferText(plan_, buffer) +
             ", which is the caller's, but no input states the value after the run; expected an input with 'after'",
         "state the value that the caller reads afterwards"});
  }

  Report &report_;
  const Plan &plan_;
  const Places &places_;
  std::vector<bool> shown_; ///< by buffer: some input declares its contents after the run
  llvm::StringSet<> named_; ///< inputs so far
};

} // namespace

void checkMemory(Report &report, const Places &places) { MemoryRules(report, places).run(); }

} // namespace ccgraph::plan_verifier
