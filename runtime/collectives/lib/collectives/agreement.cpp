#include "collectives/agreement.h"

#include "ccgraph/ir/node.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <numeric>

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

bool isAllToAll(CollectiveKind kind) {
  return kind == CollectiveKind::AllToAll || kind == CollectiveKind::ShardDimAllToAll;
}

/// Elements that the receiving row must hold; -1 where the sending row does not decide it.
int64_t expectedReceive(const Launch &launch, size_t row, int64_t groupSize) {
  int64_t sent = launch.send[row].numElements();
  switch (launch.kind) {
  case CollectiveKind::AllGather:
    return sent * groupSize;
  case CollectiveKind::ReduceScatter:
    return sent % groupSize == 0 ? sent / groupSize : -1;
  case CollectiveKind::AllReduce:
  case CollectiveKind::Broadcast:
    return sent;
  case CollectiveKind::AllToAll:
  case CollectiveKind::ShardDimAllToAll:
    return std::accumulate(launch.receiveCounts.begin(), launch.receiveCounts.end(), int64_t{0});
  default:
    return launch.receive[row].numElements();
  }
}

// On 4 ranks, an all_gather of 6 elements fills 24, and a reduce_scatter of 24 fills 6; one of 25 has no equal shares.
// These are counts of elements: that the result is f32[4, 6] or f32[24] is nothing that a collective sees.
std::string checkCounts(const Launch &launch, size_t row, int64_t groupSize) {
  int64_t sent = launch.send[row].numElements(), received = launch.receive[row].numElements();
  int64_t expected = expectedReceive(launch, row, groupSize);
  if (expected < 0)
    return (Twine("got ") + Twine(sent) + " elements to scatter over " + Twine(groupSize) +
            " ranks, expected a multiple of " + Twine(groupSize))
        .str();
  if (expected != received)
    return (Twine("got a result of ") + Twine(received) + " elements, expected " + Twine(expected) + " for " +
            Twine(sent) + " sent by each of " + Twine(groupSize) + " ranks")
        .str();
  if (!isAllToAll(launch.kind))
    return "";
  int64_t total = std::accumulate(launch.sendCounts.begin(), launch.sendCounts.end(), int64_t{0});
  if (total == sent)
    return "";
  return (Twine("got input splits of ") + Twine(total) + " elements together, expected " + Twine(sent)).str();
}

std::string checkDTypes(const Launch &launch, size_t row) {
  const Buffer &send = launch.send[row], &receive = launch.receive[row];
  if (send.isMixed() || receive.isMixed())
    return "got tensors of different dtypes in one list, expected one dtype";
  if (!send.pieces().empty() && !receive.pieces().empty() && send.dtype() != receive.dtype())
    return (Twine("got ") + shortName(send.dtype()) + " to send and a result of " + shortName(receive.dtype()) +
            ", expected one dtype")
        .str();
  if (launch.reduceOp)
    return llvm::toString(checkReducible(*launch.reduceOp, send.dtype()));
  return "";
}

std::string checkRoot(const Launch &launch, int64_t groupSize) {
  bool rooted = launch.kind == CollectiveKind::Broadcast || launch.kind == CollectiveKind::Scatter;
  if (!rooted || (launch.root >= 0 && launch.root < groupSize))
    return "";
  return (Twine("got source ") + Twine(launch.root) + ", expected a rank within the group, 0 to " +
          Twine(groupSize - 1))
      .str();
}

constexpr llvm::StringLiteral repairOfOrder = "every rank of a group must issue the same collectives in the same "
                                              "order, with the same reduction, dtype and counts";
constexpr llvm::StringLiteral repairOfTransfer =
    "the two ends of a transfer must agree on dtype and number of elements";

std::string sideText(const Launch &launch) {
  std::string payload = fingerprintOf(launch, {}).payload();
  return (Twine("rank ") + Twine(launch.rank) + ": " + describe(launch) + (payload.empty() ? "" : " ") + payload).str();
}

/// "reduction sum against max, dtype f32 against bf16"; "" where they agree.
std::string differencesText(const Launch &first, const Launch &second) {
  std::vector<std::string> texts;
  for (const FingerprintDifference &difference : differences(fingerprintOf(first, {}), fingerprintOf(second, {})))
    texts.push_back(difference.str());
  bool twoSteps = texts.empty() && first.position && second.position;
  if (twoSteps && first.position != second.position)
    texts.push_back(
        (Twine("step ") + Twine(*first.position) + " of the program against " + Twine(*second.position)).str());
  return llvm::join(texts, ", ");
}

/// The rows by whose dtypes and sizes a launch is known to others: only the root of a scatter sends, and each member
/// receives a like share.
llvm::ArrayRef<Buffer> knownRows(const Launch &launch) {
  bool received = launch.kind == CollectiveKind::Recv || launch.kind == CollectiveKind::Scatter;
  return received ? launch.receive : launch.send;
}

/// Returns true for launches that clearly agree, without texts; the fingerprints decide the other cases.
bool agreePlainly(const Launch &a, const Launch &b) {
  bool ends = isPointToPoint(a.kind) && isPointToPoint(b.kind);
  llvm::ArrayRef<Buffer> rows = knownRows(a), others = knownRows(b);
  // Members of an all_to_all send each other shares of different sizes.
  auto isAlike = [&](const Buffer &row, const Buffer &other) {
    return row.dtype() == other.dtype() && (isAllToAll(a.kind) || row.numElements() == other.numElements());
  };
  return (ends || a.kind == b.kind) && a.reduceOp == b.reduceOp && a.root == b.root && a.tag == b.tag &&
         a.position == b.position && rows.size() == others.size() &&
         std::equal(rows.begin(), rows.end(), others.begin(), isAlike);
}

} // namespace

llvm::Error checkAgreement(const Launch &first, const Launch &second, const MatchPlace &place) {
  if (agreePlainly(first, second))
    return llvm::Error::success();
  std::string found = differencesText(first, second);
  if (found.empty())
    return llvm::Error::success();
  bool transfer = place.sequence == 0;
  std::string call =
      transfer ? std::string("a transfer")
               : (Twine("collective ") + Twine(place.sequence) + " on ranks " + intListText(place.members)).str();
  Diagnostic diagnostic = diagnoseCall(
      second.call, "run.ranks-disagree",
      (Twine("ranks ") + Twine(first.rank) + " and " + Twine(second.rank) + " disagree about " + call + ": " + found)
          .str());
  diagnostic.notes.insert(diagnostic.notes.begin(),
                          {sideText(first), sideText(second), (transfer ? repairOfTransfer : repairOfOrder).str()});
  return makeError(std::move(diagnostic));
}

std::string describe(const Launch &launch) {
  return (collectiveName(launch.kind) + " `" + launch.call.name.str() + "`").str();
}

std::string checkLaunch(const Launch &launch, size_t groupSize) {
  std::string wrong = checkRoot(launch, static_cast<int64_t>(groupSize));
  for (size_t row = 0; row < launch.receive.size() && row < launch.send.size() && wrong.empty(); ++row) {
    wrong = checkDTypes(launch, row);
    if (wrong.empty())
      wrong = checkCounts(launch, row, static_cast<int64_t>(groupSize));
  }
  return wrong;
}

// Returns the facts that all members of an exchange must agree on: "all_reduce sum f32[6] on ranks [0, 1]". Splits are
// not part of it, because those of an all_to_all may differ from rank to rank (checkTogether).
CollectiveFingerprint fingerprintOf(const Launch &launch, llvm::ArrayRef<int64_t> members) {
  CollectiveFingerprint print;
  print.kind = launch.kind;
  print.reduceOp = launch.reduceOp;
  print.members = members.vec();
  if (launch.root >= 0)
    print.root = launch.root;
  if (isPointToPoint(launch.kind))
    print.tag = launch.tag;
  for (const Buffer &row : knownRows(launch))
    print.rows.push_back({row.dtype(), row.numElements()});
  print.complete = true;
  return print;
}

// Example: splits of rows [1, 2] on rank 0 and [3, 4] on rank 1. Rank 0 sends 2 rows to rank 1, so rank 1 must expect 2
// from rank 0, and rank 0 must expect 3 from rank 1: the received splits are [1, 3] and [2, 4].
static std::string wrongSplit(llvm::ArrayRef<const Launch *> members) {
  for (size_t from = 0; from < members.size(); ++from)
    for (size_t to = 0; to < members.size(); ++to) {
      int64_t sent = members[from]->sendCounts[to], expected = members[to]->receiveCounts[from];
      if (sent == expected)
        continue;
      return (Twine("rank ") + Twine(members[from]->rank) + " sends " + Twine(sent) + " elements to rank " +
              Twine(members[to]->rank) + ", which expects " + Twine(expected))
          .str();
    }
  return "";
}

static llvm::Error checkShares(llvm::ArrayRef<const Launch *> members) {
  const Launch &root = *members[static_cast<size_t>(members.front()->root)];
  for (size_t row = 0; row < root.receive.size(); ++row) {
    int64_t sent = row < root.send.size() ? root.send[row].numElements() : 0;
    int64_t expected = root.receive[row].numElements() * static_cast<int64_t>(members.size());
    if (sent != expected)
      return makeError(
          diagnoseCall(root.call, "run.collective",
                       (Twine("rank ") + Twine(root.rank) + ": got " + Twine(sent) + " elements to scatter, expected " +
                        Twine(expected) + ", a share for each of " + Twine(members.size()) + " ranks")
                           .str()));
  }
  return llvm::Error::success();
}

llvm::Error checkTogether(llvm::ArrayRef<const Launch *> members) {
  if (members.front()->kind == CollectiveKind::Scatter)
    return checkShares(members);
  if (members.front()->sendCounts.empty())
    return llvm::Error::success();
  std::string wrong = wrongSplit(members);
  if (wrong.empty())
    return llvm::Error::success();
  return makeError(diagnoseCall(members.front()->call, "run.ranks-disagree", wrong,
                                "the output splits of a rank must be the input splits of its peers"));
}

llvm::Error checkMatch(llvm::ArrayRef<Launch> members, const MatchPlace &place) {
  llvm::SmallVector<const Launch *, 8> pointers;
  for (const Launch &launch : members) {
    pointers.push_back(&launch);
    if (llvm::Error error = checkAgreement(members.front(), launch, place))
      return error;
  }
  return checkTogether(pointers);
}

} // namespace ccgraph::runtime
