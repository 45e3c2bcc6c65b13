#include "replication.h"

#include "call.h"
#include "evaluation.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

bool makesEqual(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather || kind == CollectiveKind::Broadcast;
}

/// Returns true if the tree holds anything but values of the program, dtypes and memory formats.
bool hasLiteral(const Argument &argument) {
  if (argument.isSequence())
    return llvm::any_of(argument.elements(), hasLiteral);
  return !argument.is(Argument::Kind::Operand) && !argument.is(Argument::Kind::None) &&
         !argument.is(Argument::Kind::DType) && !argument.is(Argument::Kind::MemoryFormat);
}

bool hasLiteral(const Step &step) {
  return llvm::any_of(step.arguments->positional, [](const Argument &argument) { return hasLiteral(argument); }) ||
         llvm::any_of(step.arguments->keyword,
                      [](const NamedArgument &argument) { return hasLiteral(argument.value); });
}

/// Returns true for a movement that returns all elements of its operand. Its numbers are sizes and dimensions.
bool keepsAllElements(const Step &step) {
  constexpr llvm::StringLiteral targets[] = {
      "aten.view.default",      "aten._unsafe_view.default", "aten.reshape.default", "aten.flatten.using_ints",
      "aten.unsqueeze.default", "aten.squeeze.dim",          "aten.permute.default", "aten.transpose.int",
      "aten.t.default",         "aten.alias.default",        "aten.clone.default",   "aten.contiguous.default"};
  return llvm::is_contained(targets, step.op->target.str());
}

} // namespace

bool Replication::isKept(uint32_t step) const {
  return llvm::none_of(storages_.of(step),
                       [&](uint32_t storage) { return storages_.isWritten(storage) || storages_.isReshaped(storage); });
}

/// Returns true for a step whose value is equal if its operands are.
bool Replication::follows(const Step &step) const {
  if (!step.isCall() || !step.op || step.domain != Domain::None || step.launches || step.numOperands == 0)
    return false;
  if (step.waits)
    return step.numOperands == 1;
  return keepsAllElements(step) || castOf(step) || (workFamily(*step.op) == WorkFamily::Pointwise && !hasLiteral(step));
}

bool Replication::prove(uint32_t index) {
  if (index == none || left_ == 0 || !isKept(index))
    return false;
  --left_;
  const Step &step = program_[index];
  if (step.collective()) {
    Call call = readCall(program_, index);
    return isPlainExchange(call) && makesEqual(call.spec->kind) && call.group.key == group_.key;
  }
  return follows(step) && llvm::all_of(program_.operands(step), [&](uint32_t operand) { return prove(operand); });
}

bool Replication::isEqualOnAllRanks(uint32_t step) {
  left_ = mostSteps;
  return group_.form != GroupTerm::Form::Unread && prove(step);
}

} // namespace ccgraph::legality
