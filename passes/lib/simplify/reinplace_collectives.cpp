// reinplace-collectives: lets functional collectives write into memory that exists.
//
//   s = all_reduce(x); w = wait(s)                 ->  s = all_reduce_(x); w = wait(s)
//   s = all_gather(x); w = wait(s); copy_(b, w)    ->  s = all_gather_out(x, out = b); w = wait(s)
//
// All other passes read and write functional collectives, whose results are new memory. PyTorch copies the input of an
// all_reduce or a broadcast into that memory first. So this pass comes last. Where no step needs the input after the
// launch, the collective writes over it, and neither the copy nor the memory of the result is needed. Where the program
// copies the result into a buffer, the collective fills that buffer. No step moves. No more memory is live than before:
// what is written takes the bytes that the result took, and lives as long as both.
//   may we      reinplace/in_place_call.h, reinplace/filled_buffers.h
//   which       every call that may; of several copies of one result, the first that may go
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/supersede.h"
#include "simplify/reinplace/filled_buffers.h"
#include "simplify/reinplace/in_place_call.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

namespace {

/// The launches that have a form which writes into memory, in program order, each with the copies of its result that
/// this form may replace.
using Candidates = llvm::MapVector<Node *, llvm::SmallVector<BufferCopy, 1>>;

Candidates candidatesIn(const Graph &graph) {
  Candidates candidates;
  for (Node *node : graph) {
    if (collectiveOf(*node))
      candidates.insert({node, {}});
    if (std::optional<BufferCopy> copy = bufferCopyOf(*node))
      candidates[copy->launch].push_back(*copy);
  }
  candidates.remove_if([](const auto &entry) { return entry.second.empty() && inPlaceFormOf(*entry.first).empty(); });
  return candidates;
}

class ReinplaceCollectives final : public Pass {
public:
  ReinplaceCollectives()
      : Pass({"reinplace-collectives",
              "Lets functional collectives write over their inputs where no other node needs these any more, and into "
              "the buffers into which their results are copied.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ReinplaceCollectives>(); }

private:
  [[nodiscard]] const Reason &reasonOf(NotInPlace why) const;
  [[nodiscard]] const Reason &reasonOf(NotFilled why) const;
  [[nodiscard]] std::vector<Node *> judgeInputs(const Candidates &candidates, PassContext &context) const;
  [[nodiscard]] std::vector<BufferCopy> judgeBuffers(const Candidates &candidates, llvm::ArrayRef<Node *> inPlace,
                                                     PassContext &context) const;
  void overwriteInput(Graph &graph, Node *node, PassContext &context);
  void fillBuffer(Graph &graph, const BufferCopy &copy, PassContext &context);

  Statistic inPlace_{*this, "in-place", "collectives that write over their inputs"};
  Statistic notCopied_{*this, "not-copied", "bytes of inputs that are not copied at launch any more"};
  Statistic filled_{*this, "filled", "collectives that fill the buffers into which their results were copied"};
  Statistic notCopiedAfter_{*this, "not-copied-after", "bytes of results that are not copied into buffers any more"};
  Statistic before_{*this, "before-bytes", "peak memory before, in bytes"};
  Statistic after_{*this, "after-bytes", "peak memory after, in bytes"};
  Reason done_{*this, RemarkKind::Rewritten, "in-place", "became `call`, which needs `bytes` bytes less in flight"};
  Reason fills_{*this, RemarkKind::Rewritten, "fills-buffer",
                "became `call`, which fills `buffer`; the copy of `bytes` bytes from the result to the buffer is gone"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "is not called with exactly the positional arguments of its schema"};
  Reason owned_{*this, RemarkKind::Missed, "caller-owned",
                "its input is, or may be, memory of the caller: an input of the program or an attribute"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "an operator of unknown effects, or with a subgraph, made its input or the buffer, and may keep it"};
  Reason part_{*this, RemarkKind::Missed, "partial-write",
               "its input is a part of a buffer, or not dense, and the result is a whole dense tensor"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "a step may reshape its result or the buffer in place or give it other memory, as every operator of "
                   "unknown effects may"};
  Reason aliased_{
      *this, RemarkKind::Missed, "aliased-buffer",
      "its input is read, written or returned after the launch, under this or another name, or an operator may keep or "
      "reshape it"};
  Reason flying_{*this, RemarkKind::Missed, "in-flight",
                 "another collective that sends or fills its input, or the buffer, is in flight at the launch"};
  Reason type_{*this, RemarkKind::Missed, "type-mismatch",
               "its result is copied into a buffer of another dtype, size, layout or device, or one that is not dense"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered", "the copy into the buffer is ordered after another step"};
  Reason late_{*this, RemarkKind::Missed, "late-buffer",
               "the buffer into which its result is copied, or the view of it, is made after the launch"};
  Reason overlap_{*this, RemarkKind::Missed, "overlapping-input",
                  "the buffer into which its result is copied may share memory with its input"};
  Reason longer_{*this, RemarkKind::Missed, "extends-lifetime",
                 "the buffer is a part of a larger one of the program, which would live longer for the result"};
  Reason used_{*this, RemarkKind::Missed, "buffer-used",
               "a step between the launch and the copy uses the buffer, or is an operator of unknown effects"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "a step writes its result, or writes the buffer while the result is still in use"};
  Reason returned_{*this, RemarkKind::Missed, "returned",
                   "the program returns its result, which would be memory of the buffer"};
  Reason placed_{*this, RemarkKind::Missed, "address-observed",
                 "a step observes the place of its result in memory, which would be that of the buffer"};
};

const Reason &ReinplaceCollectives::reasonOf(NotInPlace why) const {
  switch (why) {
  case NotInPlace::Arguments:
    return arguments_;
  case NotInPlace::CallerOwned:
    return owned_;
  case NotInPlace::Opaque:
    return opaque_;
  case NotInPlace::Part:
    return part_;
  case NotInPlace::Reshaped:
    return reshaped_;
  case NotInPlace::Aliased:
    return aliased_;
  case NotInPlace::InFlight:
    return flying_;
  }
  llvm_unreachable("all reasons are named");
}

const Reason &ReinplaceCollectives::reasonOf(NotFilled why) const {
  switch (why) {
  case NotFilled::Arguments:
    return arguments_;
  case NotFilled::Type:
    return type_;
  case NotFilled::Ordered:
    return ordered_;
  case NotFilled::Reshaped:
    return reshaped_;
  case NotFilled::Opaque:
    return opaque_;
  case NotFilled::Late:
    return late_;
  case NotFilled::Overlap:
    return overlap_;
  case NotFilled::Longer:
    return longer_;
  case NotFilled::InFlight:
    return flying_;
  case NotFilled::Used:
    return used_;
  case NotFilled::Written:
    return written_;
  case NotFilled::Returned:
    return returned_;
  case NotFilled::Placed:
    return placed_;
  }
  llvm_unreachable("all reasons are named");
}

std::vector<Actual> argumentsOf(const Node &call) {
  std::vector<Actual> args;
  for (const Argument &argument : call.args())
    args.push_back(Actual::copyOf(call, argument));
  return args;
}

void ReinplaceCollectives::overwriteInput(Graph &graph, Node *node, PassContext &context) {
  const int64_t bytes = inputBytes(*node).value_or(0);
  const llvm::StringRef target = inPlaceFormOf(*node);
  Node *built = callBefore(graph, node, target, argumentsOf(*node));
  context.remark(done_, *node, {{"call", target.str()}, {"bytes", std::to_string(bytes)}});
  context.certificate().rules.push_back({"in-place-form", {node}, {built}});
  supersede(graph, node, built);
  ++inPlace_;
  notCopied_ += bytes;
}

void ReinplaceCollectives::fillBuffer(Graph &graph, const BufferCopy &copy, PassContext &context) {
  const int64_t bytes = outputBytes(*copy.launch).value_or(0);
  Node *buffer = copy.copy->operand(0); // in place of a copy that is gone already, the wait on its source
  std::vector<NamedActual> out;
  if (copy.takesOut)
    out.push_back({"out", buffer});
  Node *built = callBefore(graph, copy.launch, copy.target, argumentsOf(*copy.launch), out);
  context.remark(
      fills_, *copy.launch,
      {{"call", copy.target.str()}, {"buffer", buffer->name().str().str()}, {"bytes", std::to_string(bytes)}});
  context.certificate().rules.push_back({"filled-buffer", {copy.launch, copy.copy}, {built}});
  supersede(graph, copy.launch, built);
  graph.replaceAllUses(copy.copy, copy.wait);
  graph.erase(copy.copy);
  ++filled_;
  notCopied_ += copy.takesOut ? 0 : bytes;
  notCopiedAfter_ += bytes;
}

/// Returns the launches that may write over their inputs.
std::vector<Node *> ReinplaceCollectives::judgeInputs(const Candidates &candidates, PassContext &context) const {
  const InPlaceCalls calls(*candidates.front().first->graph(), context.analyses().facts());
  std::vector<Node *> accepted;
  for (const auto &[launch, copies] : candidates) {
    if (!copies.empty())
      continue;
    if (std::optional<NotInPlace> why = calls.obstacle(*launch))
      context.remark(reasonOf(*why), *launch);
    else
      accepted.push_back(launch);
  }
  return accepted;
}

/// Returns the copies that may go, at most one for each launch. The other launches write over their inputs.
std::vector<BufferCopy> ReinplaceCollectives::judgeBuffers(const Candidates &candidates, llvm::ArrayRef<Node *> inPlace,
                                                           PassContext &context) const {
  if (llvm::all_of(candidates, [](const auto &entry) { return entry.second.empty(); }))
    return {};
  FilledBuffers buffers(context.analyses().facts());
  for (const Node *launch : inPlace)
    buffers.noteInPlace(*launch);
  for (const auto &[launch, copies] : candidates)
    for (const BufferCopy &copy : copies)
      buffers.note(copy);
  std::vector<BufferCopy> accepted;
  for (const auto &[launch, copies] : candidates) {
    const auto *found = llvm::find_if(copies, [&](const BufferCopy &copy) { return !buffers.obstacle(copy); });
    if (found != copies.end())
      accepted.push_back(*found);
    else if (!copies.empty())
      context.remark(reasonOf(*buffers.obstacle(copies.front())), *launch);
  }
  return accepted;
}

// All calls are judged before the first rewrite: where the result of one is the input of the next, that result is
// memory of the program either way. Whether a collective may fill a buffer depends on those that write over their
// inputs, but not the other way round: a launch that writes over its input is the last step that names it.
llvm::Expected<Changed> ReinplaceCollectives::run(Graph &graph, PassContext &context) {
  const Candidates candidates = candidatesIn(graph);
  if (candidates.empty())
    return Changed::No;
  const std::vector<Node *> inPlace = judgeInputs(candidates, context);
  const std::vector<BufferCopy> filled = judgeBuffers(candidates, inPlace, context);
  if (inPlace.empty() && filled.empty())
    return Changed::No;
  before_ += peakMemory(graph, context.analyses().storages()).bytes;
  for (Node *node : inPlace)
    overwriteInput(graph, node, context);
  for (const BufferCopy &copy : filled)
    fillBuffer(graph, copy, context);
  after_ += peakMemory(graph).bytes;
  return Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createReinplaceCollectives() { return std::make_unique<ReinplaceCollectives>(); }

} // namespace ccgraph
