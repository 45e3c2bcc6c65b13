// forward-copies: w = wait(s); c = aten.copy(b, w)  ->  w in place of c
//
// torch.compile captures dist.all_reduce(x) and dist.all_gather_into_tensor(b, x) as a functional collective, the wait
// on it, and a copy of the result in place of the buffer. Functionalization has removed all writes, so the copy is a
// second memory with the same elements. This pass reads the result instead. Then the buffer b may have no user; what
// only b needs goes too. No step moves. No more memory is live than before: the result lives as long as both.
//   may we      reinplace/copied_results.h
//   which       every copy that may go
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/registry.h"
#include "simplify/reinplace/copied_results.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace ccgraph {

namespace {

class ForwardCopies final : public Pass {
public:
  ForwardCopies()
      : Pass({"forward-copies", "Reads the result of a collective in place of a copy of it that has the same type.",
              Phase::Simplify}) {}
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) override;
  [[nodiscard]] std::unique_ptr<Pass> create() const override { return std::make_unique<ForwardCopies>(); }

private:
  [[nodiscard]] const Reason &reasonOf(NotForwarded why) const;
  void forward(Graph &graph, Node *copy, PassContext &context);
  void eraseDead(Graph &graph, Node *node, PassContext &context);

  Statistic forwarded_{*this, "forwarded", "copies that are gone"};
  Statistic bytes_{*this, "copied-bytes", "bytes that are not copied any more"};
  Statistic dead_{*this, "dead", "nodes that only the copies needed, such as buffers"};
  Statistic before_{*this, "before-bytes", "peak memory before, in bytes"};
  Statistic after_{*this, "after-bytes", "peak memory after, in bytes"};
  Reason done_{*this, RemarkKind::Removed, "forwarded", "its readers read `result`, of which it copied `bytes` bytes"};
  Reason type_{*this, RemarkKind::Missed, "type-mismatch",
               "the copy has another dtype, size or layout than the result"};
  Reason ordered_{*this, RemarkKind::Missed, "ordered", "the copy is ordered after another step"};
  Reason reshaped_{*this, RemarkKind::Missed, "reshaped",
                   "a step may reshape the copy or the result in place or give it other memory, as every operator of "
                   "unknown effects may"};
  Reason aliased_{*this, RemarkKind::Missed, "aliased-buffer",
                  "the result is a part of its memory, or is, or may be, memory of the caller or of an operator of "
                  "unknown effects"};
  Reason written_{*this, RemarkKind::Missed, "written",
                  "a later step writes the copy or the result, and the program still uses the other one"};
  Reason returned_{*this, RemarkKind::Missed, "returned", "the program returns both the copy and the result"};
};

const Reason &ForwardCopies::reasonOf(NotForwarded why) const {
  switch (why) {
  case NotForwarded::Type:
    return type_;
  case NotForwarded::Ordered:
    return ordered_;
  case NotForwarded::Reshaped:
    return reshaped_;
  case NotForwarded::Aliased:
    return aliased_;
  case NotForwarded::Written:
    return written_;
  case NotForwarded::Returned:
    return returned_;
  }
  llvm_unreachable("all reasons are named");
}

/// Returns true for a call that has no effect beyond its result.
bool isPure(const Node &node) {
  const Effects effects = effectsOf(node);
  return node.opcode() == Opcode::CallFunction && effects.domain == Domain::None && !effects.launches &&
         !effects.waits && !effects.keepAlways &&
         llvm::none_of(effects.operands, [](Access access) { return writes(access); });
}

/// Erases a node that no other node needs and that has no effect, and then its operands likewise.
void ForwardCopies::eraseDead(Graph &graph, Node *node, PassContext &context) {
  llvm::SmallVector<Node *, 4> candidates = {node};
  while (!candidates.empty()) {
    Node *next = candidates.pop_back_val();
    if (next->isErased() || !next->uses().empty() || next->numOrdering() != 0 || !isPure(*next))
      continue;
    for (unsigned i = 0; i < next->numOperands(); ++i)
      candidates.push_back(next->operand(i));
    context.certificate().removed.push_back({RemovedReason::Dead, next, nullptr});
    graph.erase(next);
    ++dead_;
  }
}

void ForwardCopies::forward(Graph &graph, Node *copy, PassContext &context) {
  Node *result = copiedResultOf(*copy), *buffer = copy->operand(0);
  const int64_t bytes = copy->type()->numBytes().value_or(0);
  context.remark(done_, *copy, {{"result", result->name().str().str()}, {"bytes", std::to_string(bytes)}});
  context.certificate().rules.push_back({"forwarded-copy", {copy}, {result}});
  graph.replaceAllUses(copy, result);
  graph.erase(copy);
  ++forwarded_;
  bytes_ += bytes;
  eraseDead(graph, buffer, context);
}

// A copy of a copy is judged after the first one, whose result it then copies.
llvm::Expected<Changed> ForwardCopies::run(Graph &graph, PassContext &context) {
  std::vector<Node *> copies;
  for (Node *node : graph)
    if (isCopy(*node))
      copies.push_back(node);
  if (copies.empty())
    return Changed::No;
  const int64_t before = peakMemory(graph, context.analyses().storages()).bytes;
  CopiedResults results(context.analyses().facts());
  for (Node *copy : copies) {
    if (!copiedResultOf(*copy))
      continue;
    if (std::optional<NotForwarded> why = results.obstacle(*copy)) {
      context.remark(reasonOf(*why), *copy);
      continue;
    }
    results.join(*copy);
    forward(graph, copy, context);
  }
  if (forwarded_.value() == 0)
    return Changed::No;
  before_ += before;
  after_ += peakMemory(graph).bytes;
  return Changed::Yes;
}

} // namespace

std::unique_ptr<Pass> createForwardCopies() { return std::make_unique<ForwardCopies>(); }

} // namespace ccgraph
