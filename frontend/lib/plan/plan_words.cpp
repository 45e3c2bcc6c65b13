#include "plan/plan_words.h"

#include "ccgraph/ir/device.h"
#include "ccgraph/ir/op_def.h"
#include "fx_text/argument_printer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace ccgraph {
namespace {

void forEachWindowOf(const PlanStep &step, llvm::function_ref<void(const PlanWindow &)> visit) {
  // A step's accesses leave out operands of which only the sizes are read.
  if (const KernelStep *kernel = step.kernel())
    for (const PlanOperand &operand : kernel->operands)
      forEachWindow(operand.value, visit);
  forEachAccess(step, [&](const PlanAccess &access) {
    if (access.window)
      visit(*access.window);
  });
}

std::string intListText(llvm::ArrayRef<Dim> dims) {
  std::string text;
  for (const Dim &dim : dims)
    text += (text.empty() ? "" : ", ") + dim.str();
  return "[" + text + "]";
}

std::string numberText(const PlanValue &value) {
  return "n" + std::to_string(value.slot) + (value.numberType ? " " + value.numberType->str() : "");
}

std::string literalText(const Argument &literal) {
  std::string text;
  llvm::raw_string_ostream os(text);
  fx::printArgument(os, literal, [](uint32_t) { llvm_unreachable("a literal mentions no operand"); });
  return os.str();
}

/// Returns "!" or "~", as documented in plan_text.h.
llvm::StringRef markOf(const PlanOperand &operand) { return operand.writes ? "!" : operand.reads ? "" : "~"; }

} // namespace

PlanWords::PlanWords(const Plan &plan) : plan_(plan) {
  nameBuffers();
  findDevice();
}

void PlanWords::nameBuffers() {
  llvm::StringMap<unsigned> uses;
  for (const PlanBuffer &buffer : plan_.buffers)
    ++uses[buffer.name.str()];
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    llvm::StringRef name = plan_.buffers[i].name.str();
    buffers_.push_back(name.str() + (uses[name] > 1 ? "#" + std::to_string(i) : ""));
  }
}

void PlanWords::findDevice() {
  std::set<std::string> devices;
  auto note = [&](const PlanWindow &window) { devices.insert(deviceText(window.type->device())); };
  for (const PlanInput &input : plan_.inputs)
    forEachWindow(input.value, note);
  for (const PlanStep &step : plan_.steps)
    forEachWindowOf(step, note);
  for (const PlanValue &output : plan_.outputs)
    forEachWindow(output, note);
  if (devices.size() == 1)
    device_ = *devices.begin();
}

std::string PlanWords::type(const Type &type) const {
  std::string text = shortName(type.dtype()).str() + intListText(type.sizes());
  if (!type.isContiguous())
    text += intListText(type.strides());
  std::string device = deviceText(type.device());
  return device == device_ ? text : text + device;
}

std::string PlanWords::window(const PlanWindow &window, llvm::StringRef mark) const {
  std::string text = buffers_[window.buffer];
  if (!window.offset.isStatic())
    text += "+(" + window.offset.str() + ")";
  else if (window.offset.value() != 0)
    text += "+" + window.offset.str();
  return text + mark.str() + " " + type(*window.type);
}

std::string PlanWords::value(const PlanValue &value, llvm::StringRef mark) const {
  switch (value.kind) {
  case PlanValue::Kind::None:
    return "None";
  case PlanValue::Kind::Tensor:
    return window(value.window, mark);
  case PlanValue::Kind::Number:
    return numberText(value);
  case PlanValue::Kind::Literal:
    return literalText(value.literal);
  case PlanValue::Kind::Object:
    return "<" + value.object.str().str() + ">";
  case PlanValue::Kind::List:
    break;
  }
  std::string text;
  for (const PlanValue &element : value.elements)
    text += (text.empty() ? "" : ", ") + this->value(element, mark);
  return "[" + text + "]";
}

std::string PlanWords::headline(const PlanStep &step) const {
  if (const KernelStep *kernel = step.kernel())
    return kernel->op->target.str().str();
  const CollectiveStep *collective = step.collective();
  if (!collective)
    return "copy";
  if (collective->calls.empty())
    return "nothing";
  size_t more = collective->calls.size() - 1;
  return call(collective->calls.front()) + (more ? " and " + std::to_string(more) + " more" : "");
}

std::string PlanWords::sentence(const PlanStep &step) const {
  if (const KernelStep *kernel = step.kernel())
    return this->kernel(*kernel);
  if (const CollectiveStep *collective = step.collective())
    return this->collective(*collective);
  return "copy: " + window(step.copy()->from, "") + " -> " + window(step.copy()->to, "");
}

std::string PlanWords::kernel(const KernelStep &step) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << step.op->target.str() << '(';
  fx::printArguments(os, step.args, step.kwargs, [&](uint32_t index) {
    const PlanOperand &operand = step.operands[index];
    os << value(operand.value, markOf(operand));
  });
  os << ')';
  if (step.result.kind != PlanValue::Kind::None)
    os << " -> " << value(step.result);
  return os.str();
}

std::string PlanWords::collective(const CollectiveStep &step) const {
  std::string text;
  for (const PlanCollective &call : step.calls)
    text += (text.empty() ? "" : "; ") + this->call(call) + (call.rows.empty() ? "" : ": ") + rows(call);
  return text.empty() ? "nothing" : text;
}

std::string PlanWords::call(const PlanCollective &call) const {
  std::string text = collectiveName(call.kind).str();
  if (call.reduceOp)
    text += " " + reduceOpName(*call.reduceOp).str();
  if (call.root >= 0)
    text += " from " + std::to_string(call.root);
  if (call.peer >= 0)
    text += (call.kind == CollectiveKind::Recv ? " from " : " to ") + std::to_string(call.peer);
  if (call.tag != 0)
    text += " tag " + std::to_string(call.tag);
  return text + " on " + plan_.groups[call.group].name;
}

std::string PlanWords::rows(const PlanCollective &call) const {
  std::string text;
  for (const PlanRow &row : call.rows)
    text += (text.empty() ? "" : ", ") + this->row(row);
  if (!call.sendCounts.empty())
    text += ", sends " + intListText(call.sendCounts);
  if (!call.receiveCounts.empty())
    text += ", receives " + intListText(call.receiveCounts);
  return text;
}

std::string PlanWords::row(const PlanRow &row) const {
  if (row.send && row.send == row.receive)
    return window(*row.send, "!");
  std::string text = row.send ? window(*row.send, "") : "";
  if (row.receive)
    text += (row.send ? " -> " : "-> ") + window(*row.receive, "");
  return text;
}

} // namespace ccgraph
