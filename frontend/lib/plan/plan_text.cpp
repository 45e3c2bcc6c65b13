#include "ccgraph/frontend/plan_text.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/ir/value_names.h"
#include "plan/plan_words.h"
#include "plan/text_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

using Align = TextTable::Align;

std::string eventsText(llvm::ArrayRef<EventId> events) {
  std::string text;
  for (EventId event : events)
    text += (text.empty() ? "e" : " e") + std::to_string(event);
  return text;
}

class PlanPrinter {
public:
  PlanPrinter(llvm::raw_ostream &os, const Plan &plan) : os_(os), plan_(plan), words_(plan) {}

  void print() {
    printHead();
    printSteps();
    printInputs();
    printOutputs();
    printBuffers();
  }

private:
  // --- What it is ----------------------------------------------------------------------------------------------------

  llvm::raw_ostream &fact(llvm::StringRef name) {
    constexpr unsigned width = 13;
    return (os_ << name).indent(width - static_cast<unsigned>(name.size()));
  }

  void printHead() {
    fact("plan") << plan_.name << ": " << counted(plan_.steps.size(), "step") << ", "
                 << counted(plan_.numEvents, "event") << ", for " << ranksText() << '\n';
    if (!plan_.groups.empty())
      fact("groups") << llvm::join(llvm::map_range(plan_.groups, groupText), ", ") << '\n';
    if (!plan_.guards.empty())
      fact("traced with") << llvm::join(llvm::map_range(plan_.guards, guardText), ", ") << '\n';
    fact("streams") << streamsText() << '\n';
    printMemory();
    if (!words_.device().empty())
      fact("device") << words_.device() << '\n';
    if (!plan_.layout.symbols.empty())
      fact("symbols") << symbolsText() << '\n';
    if (!plan_.graphDigest.empty())
      fact("of graph") << plan_.graphDigest << '\n';
  }

  [[nodiscard]] std::string ranksText() const {
    std::string which = plan_.rank ? "rank " + std::to_string(*plan_.rank) : "every rank";
    return which + (plan_.worldSize ? " of " + std::to_string(*plan_.worldSize) : "");
  }

  static std::string groupText(const Group &group) {
    if (group.partition.empty())
      return group.name + ": " + counted(group.ranks.size(), "rank");
    std::string cells = counted(group.partition.size(), "cell");
    std::optional<int64_t> size = group.size();
    return group.name + ": " + cells + (size ? " of " + counted(static_cast<size_t>(*size), "rank") : "");
  }

  static std::string guardText(const Guard &guard) {
    return guard.of + ": " + guardFactName(guard.fact).str() + " " + guardValueText(guard.value);
  }

  [[nodiscard]] std::string streamsText() const {
    std::vector<size_t> steps(plan_.streams.size());
    for (const PlanStep &step : plan_.steps)
      ++steps[step.stream];
    std::vector<std::string> texts;
    for (size_t i = 0; i < steps.size(); ++i)
      texts.push_back(plan_.streams[i].name + (steps[i] ? " (" + counted(steps[i], "step") + ")" : ""));
    return llvm::join(texts, ", ");
  }

  void printMemory() {
    const PlanLayout &layout = plan_.layout;
    fact("memory") << bytesText(layout.computeBytes + layout.communicationBytes);
    if (layout.communicationBytes != 0)
      os_ << ": compute " << bytesText(layout.computeBytes) << ", communication "
          << bytesText(layout.communicationBytes);
    os_ << "; lower bound " << bytesText(layout.liveBytes) << '\n';
    auto growing = llvm::count_if(plan_.buffers, [](const PlanBuffer &buffer) { return buffer.home == Home::Growing; });
    if (growing != 0)
      fact("") << counted(static_cast<size_t>(growing), "buffer") << " of a size that is known only in the run\n";
  }

  [[nodiscard]] std::string symbolsText() const {
    std::vector<std::string> texts;
    for (const auto &[symbol, value] : plan_.layout.symbols)
      texts.push_back(symbol.str().str() + " = " + std::to_string(value));
    return llvm::join(texts, ", ");
  }

  // --- Tables --------------------------------------------------------------------------------------------------------

  void print(const TextTable &table) {
    if (table.empty())
      return;
    os_ << '\n';
    table.print(os_);
  }

  void printSteps() {
    TextTable table({{"step", Align::Right},
                     {"stream", Align::Left},
                     {"waits", Align::Left},
                     {"records", Align::Left},
                     {"what", Align::Left}});
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep &step = plan_.steps[i];
      std::string records = step.event ? "e" + std::to_string(*step.event) : "";
      table.add({std::to_string(i), plan_.streams[step.stream].name, eventsText(step.waits), std::move(records),
                 words_.sentence(step) + nodeOf(step)});
    }
    print(table);
  }

  /// Returns the node's name, unless a buffer that the step writes has it.
  [[nodiscard]] std::string nodeOf(const PlanStep &step) const {
    bool named = false;
    forEachAccess(step, [&](const PlanAccess &access) {
      named |= access.writes && access.window && plan_.buffers[access.window->buffer].name == step.name;
    });
    return named ? "" : "  # " + step.name.str().str();
  }

  void printInputs() {
    auto changed = [](const PlanInput &input) { return input.after.kind != PlanValue::Kind::None; };
    std::string title = llvm::any_of(plan_.inputs, changed) ? "afterwards" : "";
    TextTable table({{"input", Align::Left}, {"value", Align::Left}, {std::move(title), Align::Left}});
    for (const PlanInput &input : plan_.inputs)
      table.add({input.name, words_.value(input.value), changed(input) ? words_.value(input.after) : ""});
    print(table);
  }

  void printOutputs() {
    TextTable table({{"output", Align::Left}, {"value", Align::Left}});
    for (size_t i = 0; i < plan_.outputs.size(); ++i)
      table.add({outputName(i), words_.value(plan_.outputs[i])});
    print(table);
  }

  void printBuffers() {
    TextTable table({{"buffer", Align::Left}, {"home", Align::Left}, {"bytes", Align::Right}, {"at", Align::Right}});
    for (BufferId i = 0; i < plan_.buffers.size(); ++i) {
      const PlanBuffer &buffer = plan_.buffers[i];
      bool inArena = buffer.home == Home::Compute || buffer.home == Home::Communication;
      std::string at = inArena && i < plan_.layout.offsets.size() ? withCommas(plan_.layout.offsets[i]) : "";
      table.add({words_.buffer(i).str(), homeName(buffer.home).str(), sizeText(buffer), std::move(at)});
    }
    print(table);
  }

  static std::string sizeText(const PlanBuffer &buffer) {
    if (!buffer.bytes.isStatic())
      return buffer.bytes.str();
    return isMadeInRun(buffer.home) ? "" : withCommas(buffer.bytes.value());
  }

  llvm::raw_ostream &os_;
  const Plan &plan_;
  PlanWords words_;
};

} // namespace

void writePlanText(llvm::raw_ostream &os, const Plan &plan) { PlanPrinter(os, plan).print(); }

} // namespace ccgraph
