#include "process_groups/call_comparison.h"

#include "process_groups/group_error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace ccgraph::runtime {
namespace {

/// Calls whose shapes may differ from rank to rank.
bool comparesShapes(GroupOp op) {
  return op != GroupOp::AllToAll && op != GroupOp::AllToAllSingle && op != GroupOp::AllReduceCoalesced &&
         op != GroupOp::AllGatherCoalesced && op != GroupOp::AllGatherIntoTensorCoalesced &&
         op != GroupOp::ReduceScatterTensorCoalesced;
}

std::string keyOf(const CallComparison &comparison, int64_t number, int64_t rank) {
  return "fingerprint/" + comparison.group.name + "/" + std::to_string(number) + "/" + std::to_string(rank);
}

llvm::Error late(const CallComparison &comparison, const CallDescription &own, int64_t rank, llvm::Error why) {
  return groupError("run.deadline", "",
                    "rank " + std::to_string(comparison.group.members[static_cast<size_t>(comparison.group.rank)]) +
                        " is running collective: " + own.str() + ", and rank " +
                        std::to_string(comparison.group.members[static_cast<size_t>(rank)]) +
                        " has not called a collective of group " + comparison.group.name + " in time",
                    llvm::toString(std::move(why)));
}

std::string difference(llvm::StringRef what, const std::string &own, const std::string &other) {
  return own == other ? "" : "  " + what.str() + ": " + own + " vs " + other;
}

std::string differences(const CallDescription &own, const CallDescription &other) {
  return difference("Sequence number", std::to_string(own.sequence), std::to_string(other.sequence)) +
         difference("Op type", own.op, other.op) +
         difference("Tensor Tensor shapes", llvm::join(own.shapes, "; "), llvm::join(other.shapes, "; ")) +
         difference("Tensor Tensor dtypes", llvm::join(own.dtypes, ", "), llvm::join(other.dtypes, ", "));
}

/// "; rank 2 is the odd one: ranks 0 and 1 agree"; "" where there is no majority.
std::string oddRanks(const CallComparison &comparison, const std::vector<std::string> &all) {
  std::map<std::string, std::vector<int64_t>> byText;
  for (size_t i = 0; i < all.size(); ++i)
    byText[all[i]].push_back(comparison.group.members[i]);
  auto most = std::max_element(byText.begin(), byText.end(),
                               [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
  if (most->second.size() * 2 <= all.size())
    return "";
  std::vector<std::string> odd;
  for (const auto &[text, ranks] : byText)
    for (int64_t rank : ranks)
      if (text != most->first)
        odd.push_back(std::to_string(rank));
  return std::string(odd.size() == 1 ? "rank " : "ranks ") + llvm::join(odd, ", ") +
         (odd.size() == 1 ? " is" : " are") + " odd: the other " + std::to_string(most->second.size()) + " ranks agree";
}

} // namespace

std::string CallDescription::str() const {
  std::string text = "CollectiveFingerPrint(SequenceNumber=" + std::to_string(sequence) + ", OpType=" + op;
  if (!shapes.empty())
    text += ", TensorShape=[" + llvm::join(shapes, "; ") + "], TensorDtypes=" + llvm::join(dtypes, ", ") +
            ", TensorDeviceTypes=cpu";
  return text + ")";
}

std::string CallDescription::serialize() const {
  return std::to_string(sequence) + "\n" + op + "\n" + llvm::join(shapes, ";") + "\n" + llvm::join(dtypes, ";");
}

CallDescription CallDescription::parse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> lines;
  text.split(lines, '\n');
  lines.resize(4);
  CallDescription result;
  (void)lines[0].getAsInteger(10, result.sequence);
  result.op = lines[1].str();
  for (auto &[line, list] : {std::pair(lines[2], &result.shapes), std::pair(lines[3], &result.dtypes)}) {
    llvm::SmallVector<llvm::StringRef, 4> parts;
    line.split(parts, ';', -1, !line.empty());
    for (llvm::StringRef part : parts)
      list->push_back(part.str());
  }
  return result;
}

CallDescription describeCall(const GroupCall &call, int64_t sequence) {
  CallDescription result;
  result.sequence = sequence;
  result.op = opTypeName(call.op).str();
  llvm::ArrayRef<Tensor> tensors = call.op == GroupOp::Scatter ? call.outputs : call.inputs;
  for (const Tensor &tensor : tensors) {
    std::string shape;
    for (int64_t size : tensor.sizes())
      shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    result.shapes.push_back(comparesShapes(call.op) ? shape : "any");
    result.dtypes.push_back(scalarTypeName(tensor.dtype()).str());
  }
  return result;
}

llvm::Error compareCalls(const CallComparison &comparison, const CallDescription &own) {
  Store &store = comparison.store;
  int64_t rank = comparison.group.rank, ranks = static_cast<int64_t>(comparison.group.members.size());
  auto until = std::chrono::steady_clock::now() + comparison.timeout;
  if (llvm::Error error = store.set(keyOf(comparison, comparison.number, rank), own.serialize()))
    return error;
  std::vector<std::string> all;
  for (int64_t other = 0; other < ranks; ++other) {
    std::string key = keyOf(comparison, comparison.number, other);
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (llvm::Error error = store.wait({key}, std::max(left, left.zero())))
      return late(comparison, own, other, std::move(error));
    llvm::Expected<std::string> text = store.get(key);
    if (!text)
      return text.takeError();
    all.push_back(std::move(*text));
  }
  if (comparison.number >= 2)
    llvm::consumeError(store.deleteKey(keyOf(comparison, comparison.number - 2, rank)).takeError());
  auto odd = llvm::find_if(all, [&](const std::string &text) { return text != own.serialize(); });
  if (odd == all.end())
    return llvm::Error::success();
  CallDescription other = CallDescription::parse(*odd);
  auto nameOf = [&](int64_t member) { return std::to_string(comparison.group.members[static_cast<size_t>(member)]); };
  return groupError("run.ranks-disagree", "",
                    "Detected mismatch between collectives on ranks. Rank " + nameOf(rank) +
                        " is running collective: " + own.str() + ", but Rank " + nameOf(odd - all.begin()) +
                        " is running collective: " + other.str() +
                        ". Collectives differ in the following aspects: " + differences(own, other),
                    oddRanks(comparison, all));
}

} // namespace ccgraph::runtime
