// PlanDraft builds a plan in few words, for tests that state what they mean.
//
//   PlanDraft d;
//   uint32_t tp = d.group("tp", {0, 1});
//   PlanWindow a = d.input("a", 4);                       four f32
//   PlanWindow c = d.communication("c", 4, 0);            at byte 0 of its arena
//   size_t launch = d.allReduce(d.collectives(tp), a, c);
//   size_t read = d.kernel("aten.relu.default", {d.reads(c)}, d.compute("r", 4, 0));
//   d.wait(read, launch);
//
// Ownership: owns the plan and its Context. Failure: none; a test may build any invalid plan. Cost: negligible.
#pragma once

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/plan.h"

#include <memory>

namespace ccgraph::test {

class PlanDraft {
public:
  using Windows = std::vector<PlanWindow>;

  PlanDraft() : plan(context) { plan.name = "draft"; }

  // --- Memory -----------------------------------------------------------------------------------------------
  [[nodiscard]] PlanWindow window(BufferId buffer, int64_t elements, int64_t offset = 0, DType dtype = DType::F32) {
    Dim size = elements;
    return {buffer, context.contiguousTensor(dtype, {size}, {context.identifier("cpu")}), offset};
  }
  /// Adds a buffer of f32 elements at an offset in bytes, and enlarges the arena for it.
  BufferId buffer(llvm::StringRef name, Home home, int64_t elements, int64_t offset = 0) {
    plan.buffers.push_back({context.identifier(name), home, elements * 4});
    plan.layout.offsets.push_back(offset);
    int64_t *arena = home == Home::Compute         ? &plan.layout.computeBytes
                     : home == Home::Communication ? &plan.layout.communicationBytes
                                                   : nullptr;
    if (arena)
      *arena = std::max(*arena, offset + elements * 4);
    return static_cast<BufferId>(plan.buffers.size() - 1);
  }
  PlanWindow compute(llvm::StringRef name, int64_t elements, int64_t offset) {
    return window(buffer(name, Home::Compute, elements, offset), elements);
  }
  PlanWindow communication(llvm::StringRef name, int64_t elements, int64_t offset) {
    return window(buffer(name, Home::Communication, elements, offset), elements);
  }
  PlanWindow input(llvm::StringRef name, int64_t elements, Home home = Home::Input) {
    PlanWindow all = window(buffer(name, home, elements), elements);
    plan.inputs.push_back({"in." + name.str(), PlanValue::tensor(all), PlanValue()});
    return all;
  }

  // --- Streams ----------------------------------------------------------------------------------------------
  uint32_t group(llvm::StringRef name, std::vector<int64_t> ranks) {
    Group group;
    group.name = name.str();
    group.ranks = std::move(ranks);
    plan.groups.push_back(std::move(group));
    return static_cast<uint32_t>(plan.groups.size() - 1);
  }
  StreamId stream(PlanStream::Kind kind, uint32_t group) {
    std::string word = kind == PlanStream::Kind::Collective ? "comm:" : "transfer:";
    plan.streams.push_back({kind, word + plan.groups[group].name, group});
    return static_cast<StreamId>(plan.streams.size() - 1);
  }
  StreamId collectives(uint32_t group) { return stream(PlanStream::Kind::Collective, group); }
  StreamId transfers(uint32_t group) { return stream(PlanStream::Kind::Transfer, group); }

  // --- Steps ------------------------------------------------------------------------------------------------
  static PlanOperand reads(const PlanWindow &window) { return {PlanValue::tensor(window), true, false}; }
  static PlanOperand writes(const PlanWindow &window) { return {PlanValue::tensor(window), false, true}; }
  static PlanOperand changes(const PlanWindow &window) { return {PlanValue::tensor(window), true, true}; }

  size_t add(llvm::StringRef name, StreamId stream, decltype(PlanStep::work) work) {
    PlanStep step;
    step.name = context.identifier(name);
    step.stream = stream;
    step.work = std::move(work);
    plan.steps.push_back(std::move(step));
    return plan.steps.size() - 1;
  }
  /// Adds a kernel step whose operands are all positional arguments.
  size_t kernel(llvm::StringRef op, std::vector<PlanOperand> operands, const PlanValue &result,
                StreamId stream = Plan::computeStream) {
    KernelStep step;
    step.op = context.ops().lookup(op);
    llvm::SmallVector<Argument, 4> args;
    for (size_t i = 0; i < operands.size(); ++i)
      args.push_back(Argument::operand(static_cast<uint32_t>(i)));
    step.args = plan.keep(args);
    step.operands = std::move(operands);
    step.result = result;
    return add(op.split('.').second.split('.').first, stream, std::move(step));
  }
  size_t kernel(llvm::StringRef op, std::vector<PlanOperand> operands, const PlanWindow &result,
                StreamId stream = Plan::computeStream) {
    return kernel(op, std::move(operands), PlanValue::tensor(result), stream);
  }
  size_t copy(const PlanWindow &from, const PlanWindow &to, StreamId stream = Plan::computeStream) {
    return add("copy", stream, CopyStep{from, to});
  }
  /// Returns a call with one row; its group is the group of the stream.
  PlanCollective call(CollectiveKind kind, StreamId stream, std::optional<PlanWindow> send,
                      std::optional<PlanWindow> receive) const {
    PlanCollective call;
    call.kind = kind;
    call.group = *plan.streams[stream].group;
    if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter)
      call.reduceOp = ReduceOp::Sum;
    if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Scatter)
      call.root = 0;
    if (isPointToPoint(kind))
      call.peer = 1;
    if (send || receive)
      call.rows.push_back({send, receive});
    return call;
  }
  size_t start(StreamId stream, std::vector<PlanCollective> calls) {
    CollectiveStep step;
    std::string name = collectiveName(calls.front().kind).str();
    step.calls.assign(calls.begin(), calls.end());
    return add(name, stream, std::move(step));
  }
  size_t allReduce(StreamId stream, const PlanWindow &send, const PlanWindow &receive) {
    return start(stream, {call(CollectiveKind::AllReduce, stream, send, receive)});
  }
  /// Lets `step` wait for the completion of `recorder`, which gets an event if it has none.
  void wait(size_t step, size_t recorder) {
    std::optional<EventId> &event = plan.steps[recorder].event;
    if (!event)
      event = plan.numEvents++;
    plan.steps[step].waits.push_back(*event);
  }
  void returns(const PlanWindow &window) { plan.outputs.push_back(PlanValue::tensor(window)); }

  KernelStep &kernelOf(size_t step) { return std::get<KernelStep>(plan.steps[step].work); }
  PlanCollective &callOf(size_t step) { return std::get<CollectiveStep>(plan.steps[step].work).calls.front(); }

  Context context;
  Plan plan;
};

} // namespace ccgraph::test
