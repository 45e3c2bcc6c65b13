#include "schedule/search_record.h"

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/group_id.h"

#include "schedule/overlap/limit_search.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SHA1.h"

#include <limits>

namespace ccgraph {

namespace {

/// The digest of a sequence of numbers and texts.
class Digest {
public:
  /// Adds numbers.
  template <class... Number>
  void add(Number... numbers) {
    const int64_t values[] = {static_cast<int64_t>(numbers)...};
    addBytes(values, sizeof(values));
  }
  void add(llvm::ArrayRef<uint32_t> numbers) {
    add(numbers.size());
    addBytes(numbers.data(), numbers.size() * sizeof(uint32_t));
  }
  void add(llvm::StringRef text) {
    add(text.size());
    addBytes(text.data(), text.size());
  }
  void add(const overlap::NumberLists &lists) {
    for (size_t list = 0; list < lists.size(); ++list)
      add(lists[list]);
  }
  [[nodiscard]] std::string text() const { return llvm::toHex(llvm::SHA1::hash(bytes_)); }

private:
  void addBytes(const void *data, size_t size) {
    const auto *first = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<uint8_t> bytes_;
};

void addProblem(Digest &digest, const overlap::Problem &problem) {
  digest.add(problem.steps.size(), problem.storages.size(), problem.streams, problem.crowding.slowdownPpm);
  for (const overlap::Step &step : problem.steps)
    digest.add(static_cast<int>(step.kind), step.input, step.fixed, step.cut, step.stream, step.mergeKey,
               step.picoseconds, step.latency, step.bytes);
  for (const overlap::Storage &storage : problem.storages)
    digest.add(storage.bytes, storage.fromStart, storage.toEnd);
  for (const overlap::NumberLists *lists : {&problem.before, &problem.completes, &problem.holds})
    digest.add(*lists);
  digest.add(llvm::ArrayRef(problem.crowding.linkOf));
}

/// Adds what names each node, and what determines the time of a collective within a bucket of any size: a pass may give
/// a new node the name of a removed one.
void addNode(Digest &digest, const Node &node) {
  digest.add(llvm::StringRef(node.name().str()));
  const GroupId group = groupIdOf(node);
  if (group.kind == GroupId::Kind::Unknown)
    return;
  digest.add(llvm::StringRef(node.target().str()));
  digest.add(llvm::StringRef(group.text));
}

} // namespace

std::string SearchRecord::keyOf(const overlap::Problem &problem, llvm::ArrayRef<Node *> nodes) {
  Digest digest;
  for (const Node *node : nodes)
    addNode(digest, *node);
  addProblem(digest, problem);
  return digest.text();
}

std::string SearchRecord::keyOf(llvm::StringRef program, const overlap::SearchOptions &options) {
  return (program + " walks=" + llvm::Twine(options.maxWalks) + " beam=" + llvm::Twine(options.beamWidth) +
          " peak=" + (options.referencePeak ? llvm::Twine(*options.referencePeak).str() : ""))
      .str();
}

void SearchRecord::addFaster(const std::string &key, const std::string &first, const std::string &second) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  for (auto it = schedules_.lower_bound({first, least}); it != schedules_.end() && it->first.first == first; ++it) {
    const int64_t budget = it->first.second;
    if (auto other = schedules_.find({second, budget}); other != schedules_.end()) {
      const bool isFaster = overlap::rankUnder(budget, *other->second) < overlap::rankUnder(budget, *it->second);
      schedules_.emplace(std::pair(key, budget), isFaster ? other->second : it->second);
    }
  }
}

} // namespace ccgraph
