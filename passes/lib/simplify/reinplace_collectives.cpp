// reinplace-collectives: s = all_reduce(x); w = wait(s)  ->  s = all_reduce_(x); w = wait(s)
//
// All other passes read and write functional collectives, whose results are new memory. PyTorch copies the input of an
// all_reduce or a broadcast into that memory first. So this pass comes last: where no step needs the input after the
// launch, the collective writes over it, and neither the copy nor the memory of the result is needed. No step moves.
// No storage lives longer than before: input and result had the same bytes, and their lives overlap.
//   may we      reinplace/in_place_call.h
//   which       every call that may
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"
#include "rewrite/supersede.h"
#include "simplify/reinplace/in_place_call.h"

#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

namespace {

class ReinplaceCollectives final : public Pass {
public:
  ReinplaceCollectives()
      : Pass({"reinplace-collectives",
              "Lets functional collectives write over their inputs where no other node needs these any more.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ReinplaceCollectives>(); }

private:
  [[nodiscard]] const Reason &reasonOf(NotInPlace why) const;
  void rewrite(Graph &graph, Node *node, PassContext &context);

  Statistic inPlace_{*this, "in-place", "collectives that write over their inputs"};
  Statistic notCopied_{*this, "not-copied", "bytes of inputs that are not copied at launch any more"};
  Statistic before_{*this, "before-bytes", "peak memory before, in bytes"};
  Statistic after_{*this, "after-bytes", "peak memory after, in bytes"};
  Reason done_{*this, RemarkKind::Rewritten, "in-place", "became `call`, which needs `bytes` bytes less in flight"};
  Reason arguments_{*this, RemarkKind::Missed, "arguments",
                    "is not called with exactly the positional arguments of its schema"};
  Reason owned_{*this, RemarkKind::Missed, "caller-owned",
                "its input is, or may be, memory of the caller: an input of the program or an attribute"};
  Reason opaque_{*this, RemarkKind::Missed, "opaque",
                 "an operator of unknown effects, or with a subgraph, made its input and may keep it"};
  Reason part_{*this, RemarkKind::Missed, "partial-write",
               "its input is a part of a buffer, or not dense, and the result is a whole dense tensor"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "a later step may reshape its result in place or give it other memory, as every operator of unknown "
                   "effects may"};
  Reason aliased_{
      *this, RemarkKind::Missed, "aliased-buffer",
      "its input is read, written or returned after the launch, under this or another name, or an operator may keep or "
      "reshape it"};
  Reason flying_{*this, RemarkKind::Missed, "in-flight",
                 "another collective that sends or fills its input is in flight at the launch"};
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

void ReinplaceCollectives::rewrite(Graph &graph, Node *node, PassContext &context) {
  const int64_t bytes = inputBytes(*node).value_or(0);
  const llvm::StringRef target = inPlaceFormOf(*node);
  std::vector<Actual> args;
  for (const Argument &argument : node->args())
    args.push_back(Actual::copyOf(*node, argument));
  Node *built = callBefore(graph, node, target, args);
  context.remark(done_, *node, {{"call", target.str()}, {"bytes", std::to_string(bytes)}});
  context.certificate().rules.push_back({"in-place-form", {node}, {built}});
  supersede(graph, node, built);
  ++inPlace_;
  notCopied_ += bytes;
}

llvm::Expected<Changed> ReinplaceCollectives::run(Graph &graph, PassContext &context) {
  std::vector<Node *> candidates;
  for (Node *node : graph)
    if (!inPlaceFormOf(*node).empty())
      candidates.push_back(node);
  if (candidates.empty())
    return Changed::No;
  // All calls are judged before the first rewrite: where the result of one is the input of the next, that result is
  // memory of the program either way.
  const InPlaceCalls calls(graph, context.analyses().facts());
  std::vector<Node *> accepted;
  for (Node *node : candidates)
    if (std::optional<NotInPlace> why = calls.obstacle(*node))
      context.remark(reasonOf(*why), *node);
    else
      accepted.push_back(node);
  if (accepted.empty())
    return Changed::No;
  before_ += peakMemory(graph, context.analyses().storages()).bytes;
  for (Node *node : accepted)
    rewrite(graph, node, context);
  after_ += peakMemory(graph).bytes;
  return Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createReinplaceCollectives() { return std::make_unique<ReinplaceCollectives>(); }

} // namespace ccgraph
