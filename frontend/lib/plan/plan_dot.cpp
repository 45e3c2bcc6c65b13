#include "ccgraph/frontend/plan_text.h"
#include "plan/plan_words.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph {
namespace {

/// Returns a quoted text in the DOT language.
std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

class PlanPicture {
public:
  PlanPicture(llvm::raw_ostream &os, const Plan &plan) : os_(os), plan_(plan), words_(plan) {}

  void draw() {
    os_ << "digraph " << quoted(plan_.name) << " {\n"
        << "  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n";
    for (StreamId stream = 0; stream < plan_.streams.size(); ++stream)
      drawStream(stream);
    drawEvents();
    os_ << "}\n";
  }

private:
  [[nodiscard]] std::vector<size_t> stepsOf(StreamId stream) const {
    std::vector<size_t> steps;
    for (size_t i = 0; i < plan_.steps.size(); ++i)
      if (plan_.steps[i].stream == stream)
        steps.push_back(i);
    return steps;
  }

  /// Draws the steps of a stream in a column; each edge between two of them points down.
  void drawStream(StreamId stream) {
    std::vector<size_t> steps = stepsOf(stream);
    if (steps.empty())
      return;
    os_ << "  subgraph cluster_" << stream << " {\n    label=" << quoted(plan_.streams[stream].name) << ";\n";
    for (size_t step : steps)
      drawStep(step);
    for (size_t i = 1; i < steps.size(); ++i)
      os_ << "    s" << steps[i - 1] << " -> s" << steps[i] << ";\n";
    os_ << "  }\n";
  }

  void drawStep(size_t index) {
    const PlanStep &step = plan_.steps[index];
    std::string label = std::to_string(index) + "  " + words_.headline(step) + "  # " + step.name.str().str();
    os_ << "    s" << index << " [label=" << quoted(label) << "];\n";
  }

  void drawEvents() {
    llvm::DenseMap<EventId, size_t> recorders;
    for (size_t i = 0; i < plan_.steps.size(); ++i)
      if (plan_.steps[i].event)
        recorders.try_emplace(*plan_.steps[i].event, i);
    for (size_t i = 0; i < plan_.steps.size(); ++i)
      for (EventId event : plan_.steps[i].waits)
        drawWait(event, recorders.find(event) == recorders.end() ? std::nullopt : std::optional(recorders[event]), i);
  }

  /// `recorder` is empty where no step records the event, which the verifier rejects; then the event is drawn as a node
  /// of its own.
  void drawWait(EventId event, std::optional<size_t> recorder, size_t waiter) {
    os_ << "  " << (recorder ? "s" + std::to_string(*recorder) : "e" + std::to_string(event)) << " -> s" << waiter
        << " [label=\"e" << event << "\", style=dashed];\n";
  }

  llvm::raw_ostream &os_;
  const Plan &plan_;
  PlanWords words_;
};

} // namespace

void writePlanDot(llvm::raw_ostream &os, const Plan &plan) { PlanPicture(os, plan).draw(); }

} // namespace ccgraph
