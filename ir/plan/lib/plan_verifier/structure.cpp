// Checks the structure that every other family relies on: indices, types, events.
#include "plan_verifier/plan_rules.h"

#include "ccgraph/ir/value_names.h"

namespace ccgraph::plan_verifier {
namespace {

class StructureRules {
public:
  StructureRules(Report &report, const PlanLayout &layout)
      : report_(report), plan_(report.plan()), layout_(layout), recorders_(plan_.numEvents), used_(plan_.numEvents) {}

  void run() {
    checkFrame();
    for (size_t step = 0; step < plan_.steps.size(); ++step)
      checkStep(step);
    for (EventId event = 0; event < plan_.numEvents; ++event)
      checkUse(event);
    for (const PlanInput &input : plan_.inputs) {
      checkValue(input.value, input.name);
      checkValue(input.after, input.name + " afterwards");
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i)
      checkValue(plan_.outputs[i], outputName(i));
  }

private:
  std::string here() const { return "step " + std::to_string(step_) + " " + plan_.steps[step_].name.str().str(); }

  /// Checks that the index is below `count`; `what` describes the items.
  bool inRange(const std::string &where, size_t index, size_t count, llvm::StringRef what) {
    if (index < count)
      return true;
    report_.add(where, {"plan.indices",
                        "names " + what.str() + " " + std::to_string(index) + "; expected one of the " +
                            std::to_string(count) + " that there are, counted from 0",
                        "name one that is there, or add it"});
    return false;
  }

  void checkFrame() {
    bool begins = plan_.streams.size() >= 2 && plan_.streams[0].kind == PlanStream::Kind::Host &&
                  plan_.streams[1].kind == PlanStream::Kind::Compute;
    if (!begins)
      report_.add("streams", {"plan.streams", "do not begin with that of the host and that of computation",
                              "make the first two those, whatever the program"});
    for (const PlanStream &stream : plan_.streams) {
      if (stream.group)
        inRange("stream " + stream.name, *stream.group, plan_.groups.size(), "group");
      else if (stream.kind == PlanStream::Kind::Transfer)
        report_.add("stream " + stream.name, {"plan.streams", "is one of transfers and names no group; expected one",
                                              "give the group of its channel"});
    }
    if (layout_.offsets.size() != plan_.buffers.size())
      report_.add("layout", {"plan.layout",
                             "has " + std::to_string(layout_.offsets.size()) + " offsets; expected " +
                                 std::to_string(plan_.buffers.size()) + ", one for each buffer",
                             "give 0 to a buffer that lies in no arena"});
  }

  void checkStep(size_t index) {
    step_ = index;
    const PlanStep &step = plan_.steps[index];
    inRange(here(), step.stream, plan_.streams.size(), "stream");
    for (EventId event : step.waits)
      if (inRange(here(), event, plan_.numEvents, "event"))
        checkWait(event);
    if (step.event && inRange(here(), *step.event, plan_.numEvents, "event"))
      checkRecord(*step.event);
    if (const KernelStep *kernel = step.kernel())
      checkKernel(*kernel);
    if (const CollectiveStep *collective = step.collective())
      for (const PlanCollective &call : collective->calls)
        checkCall(call);
    if (const CopyStep *copy = step.copy())
      checkCopy(*copy);
  }

  void checkWait(EventId event) {
    used_[event] = true;
    if (!recorders_[event])
      report_.add(step_,
                  {"plan.events", "waits for event " + std::to_string(event) + ", which no step before it records",
                   "let an earlier step record the event"});
  }

  void checkRecord(EventId event) {
    if (recorders_[event])
      report_.add(step_, {"plan.events",
                          "records event " + std::to_string(event) + ", as " + stepText(plan_, *recorders_[event]) +
                              " does; expected one step that does",
                          "give each its own event"});
    recorders_[event] = step_;
  }

  void checkUse(EventId event) {
    if (!recorders_[event])
      report_.add("event " + std::to_string(event), {"plan.events", "is recorded by no step; expected one",
                                                     "let the step record it that others wait for, or drop it"});
    else if (!used_[event])
      report_.add(*recorders_[event],
                  {"plan.events", "records event " + std::to_string(event) + ", for which no step waits",
                   "drop the event, or let the step wait that needs this one"});
  }

  bool checkWindow(const PlanWindow &window, const std::string &where) {
    bool typed = window.type && window.type->isTensor() && window.type->stridesKnown();
    if (!typed)
      report_.add(where,
                  {"plan.types", "has a window of type " + typeText(window.type) + "; expected a tensor with strides",
                   "give the window the type of the tensor, strides included"});
    return inRange(where, window.buffer, plan_.buffers.size(), "buffer") && typed;
  }

  void checkValue(const PlanValue &value, const std::string &where) {
    forEachWindow(value, [&](const PlanWindow &window) { checkWindow(window, where); });
    forEachSlot(value, [&](SlotId slot) { inRange(where, slot, plan_.numSlots, "slot"); });
  }

  void checkTree(const Argument &tree, size_t operands) {
    if (tree.is(Argument::Kind::Operand))
      inRange(here(), tree.operandIndex(), operands, "operand");
    for (const Argument &element : tree.elements())
      checkTree(element, operands);
    for (const NamedArgument &entry : tree.entries())
      checkTree(entry.value, operands);
  }

  void checkKernel(const KernelStep &kernel) {
    if (!kernel.op)
      report_.add(step_, {"plan.indices", "calls no operator; expected one", "name the operator"});
    for (const Argument &argument : kernel.args)
      checkTree(argument, kernel.operands.size());
    for (const NamedArgument &entry : kernel.kwargs)
      checkTree(entry.value, kernel.operands.size());
    for (const PlanOperand &operand : kernel.operands)
      checkValue(operand.value, here());
    checkValue(kernel.result, here());
  }

  void checkCall(const PlanCollective &call) {
    inRange(here(), call.group, plan_.groups.size(), "group");
    for (const PlanRow &row : call.rows) {
      if (row.send)
        checkWindow(*row.send, here());
      if (row.receive)
        checkWindow(*row.receive, here());
    }
  }

  void checkCopy(const CopyStep &copy) {
    bool typed = checkWindow(copy.from, here());
    if (!checkWindow(copy.to, here()) || !typed)
      return;
    if (copy.from.type->sizes() != copy.to.type->sizes() || copy.from.type->dtype() != copy.to.type->dtype())
      report_.add(step_, {"plan.types",
                          "copies " + copy.from.type->str() + " into " + copy.to.type->str() +
                              "; expected equal sizes and dtype",
                          "copy between windows of one shape"});
  }

  Report &report_;
  const Plan &plan_;
  const PlanLayout &layout_;
  std::vector<std::optional<size_t>> recorders_; ///< by event
  std::vector<bool> used_;                       ///< by event
  size_t step_ = 0;
};

} // namespace

void checkStructure(Report &report, const PlanLayout &layout) { StructureRules(report, layout).run(); }

} // namespace ccgraph::plan_verifier
