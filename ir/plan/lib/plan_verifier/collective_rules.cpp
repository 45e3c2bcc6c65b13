// Calls of collectives: rows, counts, members, reductions, and memory within a step.
#include "plan_verifier/plan_rules.h"

namespace ccgraph::plan_verifier {
namespace {

using Kind = CollectiveKind;

bool reduces(Kind kind) { return kind == Kind::AllReduce || kind == Kind::ReduceScatter; }
bool hasRoot(Kind kind) { return kind == Kind::Broadcast || kind == Kind::Scatter; }

class CallRules {
public:
  CallRules(Report &report, const Places &places, size_t step, const PlanCollective &call)
      : report_(report), plan_(report.plan()), places_(places), step_(step), call_(call),
        name_(collectiveName(call.kind).str()), members_(groupSize(plan_, call.group)) {}

  void run() {
    if (call_.kind == Kind::BatchP2P)
      return wrong("plan.rows", "is a batch_p2p", "its sends and receives, each a call of the step",
                   "let the step hold one call for each transfer");
    if (call_.kind == Kind::ShardDimAllToAll)
      return wrong("plan.rows", "is a shard_dim_alltoall", "an all_to_all of its parts",
                   "copy the parts of the tensor together before, and apart after");
    checkNumbers();
    checkForeignNumbers();
    if (call_.kind == Kind::Barrier) {
      if (!call_.rows.empty())
        wrong("plan.rows", "is a barrier of " + std::to_string(call_.rows.size()) + " rows", "none", "drop the rows");
      return;
    }
    if (call_.rows.empty())
      wrong("plan.rows", name_ + " has no row", "one for each tensor", "add what is sent and received");
    for (const PlanRow &row : call_.rows)
      checkRow(row);
    checkTotals();
  }

private:
  void wrong(llvm::StringRef rule, const std::string &got, const std::string &expected, std::string repair) {
    report_.add(step_, {rule, got + "; expected " + expected, std::move(repair)});
  }

  void checkNumbers() {
    if (reduces(call_.kind) != call_.reduceOp.has_value())
      wrong("plan.rows", name_ + (call_.reduceOp ? " has a reduction" : " has no reduction"),
            reduces(call_.kind) ? "one" : "none", "all_reduce and reduce_scatter have one, no other call does");
    if (hasRoot(call_.kind))
      checkRank(call_.root, "root");
    if (isPointToPoint(call_.kind))
      checkRank(call_.peer, "peer");
  }

  /// Checks that a call has no number that belongs to another kind, since an engine reads each number of a call.
  void checkForeignNumbers() {
    bool transfers = isPointToPoint(call_.kind), splits = call_.kind == Kind::AllToAll;
    if (!hasRoot(call_.kind) && call_.root != -1)
      foreign("root", std::to_string(call_.root), "broadcast and scatter have one");
    if (!transfers && call_.peer != -1)
      foreign("peer", std::to_string(call_.peer), "send and recv have one");
    if (!transfers && call_.tag != 0)
      foreign("tag", std::to_string(call_.tag), "send and recv have one");
    if (!splits && !call_.sendCounts.empty())
      foreign("send_counts", partsText(call_.sendCounts.size()), "all_to_all has them");
    if (!splits && !call_.receiveCounts.empty())
      foreign("receive_counts", partsText(call_.receiveCounts.size()), "all_to_all has them");
  }

  static std::string partsText(size_t parts) { return "of " + std::to_string(parts) + " parts"; }

  void foreign(const std::string &member, const std::string &got, const std::string &owners) {
    wrong("plan.attributes", name_ + " has a " + member + " " + got, "none", "drop it: only " + owners);
  }

  void checkRank(int64_t rank, const std::string &role) {
    if (rank >= 0 && (!members_ || rank < *members_))
      return;
    wrong("plan.members", name_ + " has rank " + std::to_string(rank) + " as its " + role,
          "0 to " + (members_ ? std::to_string(*members_ - 1) : std::string("the size of its group")),
          "roots and peers are counted within the group, not globally");
  }

  void checkRow(const PlanRow &row) {
    bool sends = call_.kind != Kind::Recv;
    bool receives = call_.kind != Kind::Send;
    // Only the root of a scatter sends, possibly in another row.
    bool mustSend = sends && call_.kind != Kind::Scatter;
    bool mustReceive = receives && call_.kind != Kind::Scatter;
    if ((row.send && !sends) || (!row.send && mustSend) || (row.receive && !receives) || (!row.receive && mustReceive))
      return wrong("plan.rows",
                   name_ + " has a row that " + (row.send ? "sends" : "sends nothing") + " and " +
                       (row.receive ? "receives" : "receives nothing"),
                   std::string("one that ") +
                       (mustSend ? "sends"
                        : sends  ? "may send"
                                 : "sends nothing") +
                       " and " +
                       (mustReceive ? "receives"
                        : receives  ? "may receive"
                                    : "receives nothing"),
                   "give each row the windows that its collective takes");
    for (const auto &window : {row.send, row.receive})
      if (window)
        checkWindow(*window);
    if (row.send && row.receive)
      checkPair(*row.send, *row.receive);
  }

  void checkWindow(const PlanWindow &window) {
    if (!places_.isContiguous(window))
      wrong("plan.contiguous", name_ + " sends or receives " + window.type->str() + " of " + text(window),
            "elements without gaps, in row-major order", "copy it into a contiguous buffer first, or out of one");
    bool apart = places_.layout().communicationBytes != 0;
    if (apart && plan_.buffers[window.buffer].home == Home::Compute)
      wrong("plan.home", name_ + " sends from or receives into " + text(window) + " of home compute",
            "communication, growing, or memory of the caller's", "give the buffer the home communication");
    if (call_.reduceOp && !isDefinedOn(*call_.reduceOp, window.type->dtype()))
      wrong("plan.dtype",
            "reduces " + shortName(window.type->dtype()).str() + " by " + reduceOpName(*call_.reduceOp).str(),
            "a reduction that is defined on this dtype", "take another reduction, or convert first");
  }

  std::string text(const PlanWindow &window) const { return bufferText(plan_, window.buffer); }

  void checkPair(const PlanWindow &send, const PlanWindow &receive) {
    if (send.type->dtype() != receive.type->dtype())
      wrong("plan.dtype",
            name_ + " sends " + shortName(send.type->dtype()).str() + " and receives " +
                shortName(receive.type->dtype()).str(),
            "one dtype", "convert before or after");
    std::optional<int64_t> sent = places_.elementsOf(send), received = places_.elementsOf(receive);
    if (sent && received)
      checkCounts(*sent, *received);
    checkInPlace(send, receive);
  }

  void checkCounts(int64_t sent, int64_t received) {
    switch (call_.kind) {
    case Kind::AllReduce:
    case Kind::Broadcast:
      return demand(sent, received, received, "as many");
    case Kind::AllGather:
      if (members_)
        demand(received, saturatingMultiply(sent, *members_), sent, std::to_string(*members_) + " times as many");
      return;
    case Kind::ReduceScatter:
      if (members_)
        demand(sent, saturatingMultiply(received, *members_), received, std::to_string(*members_) + " times as many");
      return;
    case Kind::AllToAll:
      checkSplits(sent, call_.sendCounts, "sends");
      return checkSplits(received, call_.receiveCounts, "receives");
    case Kind::Scatter:
    case Kind::Send:
    case Kind::Recv:
    case Kind::BatchP2P:
    case Kind::ShardDimAllToAll:
    case Kind::Barrier:
      return;
    }
  }

  void demand(int64_t got, int64_t expected, int64_t other, const std::string &relation) {
    if (got == expected)
      return;
    bool gathers = call_.kind == Kind::AllGather;
    wrong("plan.counts",
          name_ + (gathers ? " receives " : " sends ") + std::to_string(got) + " elements and " +
              (gathers ? "sends " : "receives ") + std::to_string(other),
          std::to_string(expected) + ", " + relation, "give the windows sizes that fit the group");
  }

  void checkSplits(int64_t elements, llvm::ArrayRef<Dim> counts, const std::string &verb) {
    if (members_ && static_cast<int64_t>(counts.size()) != *members_)
      return wrong("plan.counts", name_ + " " + verb + " " + std::to_string(counts.size()) + " parts",
                   std::to_string(*members_) + ", one for each member", "state each part, empty ones too");
    int64_t sum = 0;
    for (const Dim &count : counts) {
      std::optional<int64_t> value = places_.valueOf(count);
      if (!value)
        return;
      if (*value < 0)
        return wrong("plan.counts", name_ + " " + verb + " a part of " + std::to_string(*value) + " elements",
                     "0 or more", "state how many elements each member takes part with");
      sum = saturatingAdd(sum, *value);
    }
    if (sum != elements)
      wrong("plan.counts", name_ + " " + verb + " parts of " + std::to_string(sum) + " elements together",
            std::to_string(elements) + ", which is what its window has", "make the parts add up to the window");
  }

  /// Compares the sizes of a scatter: its root sends one part to each member, in one window or in one row for each.
  void checkTotals() {
    if (call_.kind != Kind::Scatter)
      return;
    int64_t sent = 0, received = 0;
    for (const PlanRow &row : call_.rows) {
      sent = saturatingAdd(sent, row.send ? places_.elementsOf(*row.send).value_or(0) : 0);
      received = saturatingAdd(received, row.receive ? places_.elementsOf(*row.receive).value_or(0) : 0);
    }
    if (sent > 0 && members_)
      demand(sent, saturatingMultiply(received, *members_), received, std::to_string(*members_) + " times as many");
  }

  void checkInPlace(const PlanWindow &send, const PlanWindow &receive) {
    Stretch from = places_.stretchOf(send), to = places_.stretchOf(receive);
    if (!from.overlaps(to))
      return;
    bool allowed = call_.kind == Kind::AllReduce || call_.kind == Kind::Broadcast || members_ == 1;
    if (allowed && send.buffer == receive.buffer && from.bytes == to.bytes)
      return;
    wrong("plan.in-place",
          name_ + " sends " + bytesText(from.bytes) + " and receives " + bytesText(to.bytes) + " of the same memory",
          allowed ? "the very same bytes, or others" : "other bytes", "receive into a buffer of its own");
  }

  Report &report_;
  const Plan &plan_;
  const Places &places_;
  size_t step_;
  const PlanCollective &call_;
  std::string name_;
  std::optional<int64_t> members_;
};

struct RowWindow {
  Stretch stretch;
  BufferId buffer;
  size_t row; ///< counted through all calls of the step
  bool writes;
};

/// Rows run in any order, and so do calls that start together.
void checkApart(Report &report, const Places &places, size_t step, const CollectiveStep &collective) {
  std::vector<RowWindow> windows;
  size_t index = 0;
  for (const PlanCollective &call : collective.calls)
    for (const PlanRow &row : call.rows) {
      if (row.send)
        windows.push_back({places.stretchOf(*row.send), row.send->buffer, index, false});
      if (row.receive)
        windows.push_back({places.stretchOf(*row.receive), row.receive->buffer, index, true});
      ++index;
    }
  llvm::stable_sort(windows, [](const RowWindow &a, const RowWindow &b) {
    return std::make_tuple(a.stretch.space, a.stretch.bytes.begin) <
           std::make_tuple(b.stretch.space, b.stretch.bytes.begin);
  });
  for (size_t i = 0; i < windows.size(); ++i)
    for (size_t j = i + 1; j < windows.size() && windows[j].stretch.space == windows[i].stretch.space &&
                           windows[j].stretch.bytes.begin < windows[i].stretch.bytes.end;
         ++j)
      if (const RowWindow &a = windows[i], &b = windows[j];
          a.row != b.row && (a.writes || b.writes) && a.stretch.overlaps(b.stretch))
        report.add(step, {"plan.batch",
                          "starts together what " + std::string(a.writes ? "receives into " : "sends from ") +
                              bufferText(report.plan(), a.buffer) + " and what " +
                              (b.writes ? "receives into " : "sends from ") + bufferText(report.plan(), b.buffer) +
                              ", on common bytes; expected them apart",
                          "make two steps of them: what starts together has no order"});
}

void checkBatch(Report &report, size_t step, const CollectiveStep &collective) {
  bool transfers = llvm::all_of(collective.calls, [](const PlanCollective &call) { return isPointToPoint(call.kind); });
  if (collective.calls.empty() || (collective.calls.size() > 1 && !transfers))
    report.add(step, {"plan.rows",
                      "starts " + std::to_string(collective.calls.size()) +
                          " calls together; expected one collective, or the transfers of a batch",
                      "make a step of each collective"});
}

} // namespace

void checkCollectives(Report &report, const Places &places) {
  for (size_t step = 0; step < report.plan().steps.size(); ++step)
    if (const CollectiveStep *collective = report.plan().steps[step].collective()) {
      checkBatch(report, step, *collective);
      for (const PlanCollective &call : collective->calls)
        CallRules(report, places, step, call).run();
      checkApart(report, places, step, *collective);
    }
}

} // namespace ccgraph::plan_verifier
