#include "ccgraph/jobs/job.h"

#include "program_reader.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::jobs {
namespace {

/// Returns a text that is equal for equal calls only.
std::string keyOf(const Call &call) {
  std::string key;
  llvm::raw_string_ostream os(key);
  auto list = [&](llvm::ArrayRef<int64_t> numbers) {
    os << ';';
    for (int64_t number : numbers)
      os << number << ',';
  };
  os << static_cast<int>(call.kind) << ',' << (call.reduceOp ? static_cast<int>(*call.reduceOp) : -1) << ','
     << call.root.value_or(-1) << ',' << call.isEven << ',' << call.received.value_or(-1) << ';';
  for (const CollectiveFingerprint::Row &row : call.rows)
    os << (row.dtype ? static_cast<int>(*row.dtype) : -1) << ':' << row.elements.value_or(-1) << ',';
  list(call.sends);
  list(call.receives);
  os << call.symbols;
  return os.str();
}

llvm::Error fail(const Graph &graph, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "job.ranks";
  diagnostic.where = graph.name().str();
  diagnostic.message = message.str();
  diagnostic.notes.push_back(repair.str());
  return makeError(std::move(diagnostic));
}

/// The orders of ranks that one graph gives, for each of its ranks.
class OrderReader {
public:
  OrderReader(const Graph &graph, const Program &program, const std::vector<std::vector<int64_t>> &called,
              JobData &data)
      : graph_(graph), program_(program), data_(data) {
    for (size_t i = 0; i < program.groups.size(); ++i)
      addGroup(data.names()[program.groups[i]], called[i]);
    for (size_t i = 0; i < program.launches.size(); ++i)
      addNeeds(static_cast<Id>(i), program.launches[i]);
  }

  /// Returns by group the order that holds the rank, or the order of a list that does not.
  std::vector<Id> of(int64_t rank) const {
    std::vector<Id> orders;
    for (size_t i = 0; i < all_.size(); ++i) {
      auto cell = cells_[i].find(rank);
      orders.push_back(cell == cells_[i].end() ? all_[i] : cell->second);
    }
    return orders;
  }

  /// Checks the places that the launches name.
  llvm::Error check(llvm::ArrayRef<Id> orders) const {
    for (const auto &[need, launch] : needs_) {
      const Node *node = graph_.find(data_.names()[program_.launches[launch].name]);
      if (orders[need.group] == none)
        return makeError(
            diagnose(*node, "job.group",
                     "got group '" + data_.names()[program_.groups[need.group]].str() + "', whose ranks no file states",
                     "give its ranks with --groups"));
      auto size = static_cast<int64_t>(data_.orders[orders[need.group]].ranks.size());
      if (need.what != What::Parts && (need.value < 0 || need.value >= size))
        return badPlace(*node, need.what == What::Peer ? "peer" : "root", need.value, size);
      if (need.what == What::Parts && need.value != size)
        return makeError(diagnose(*node, "job.splits",
                                  "got " + std::to_string(need.value) + " splits on a group of " +
                                      std::to_string(size) + " ranks, expected one for each rank",
                                  "the group file may belong to another job"));
    }
    return llvm::Error::success();
  }

private:
  enum class What : uint8_t { Peer, Root, Parts };
  /// What a launch requires of the size of its group. A peer of 0 stands for launches without any place.
  struct Need {
    Id group = 0;
    What what = What::Peer;
    int64_t value = 0;
    friend auto operator<=>(const Need &, const Need &) = default;
  };

  /// Many launches require the same, so each requirement is checked once for a rank.
  void addNeeds(Id index, const Launch &launch) {
    needs_.try_emplace({launch.group, What::Peer, 0}, index);
    for (const Move &move : program_.movesOf(launch))
      needs_.try_emplace({launch.group, What::Peer, program_.transfers[move.transfer].peer}, index);
    if (launch.isTransfer)
      return;
    const Call &call = data_.calls[launch.call];
    if (call.root)
      needs_.try_emplace({launch.group, What::Root, *call.root}, index);
    for (size_t parts : {call.sends.size(), call.receives.size()})
      if (parts != 0)
        needs_.try_emplace({launch.group, What::Parts, static_cast<int64_t>(parts)}, index);
  }

  static llvm::Error badPlace(const Node &node, const std::string &what, int64_t place, int64_t size) {
    return makeError(diagnose(node, "job." + what,
                              "got " + what + " " + std::to_string(place) + " of a group of " + std::to_string(size) +
                                  " ranks, expected 0 to " + std::to_string(size - 1),
                              "a " + what + " is the place of a rank in its group"));
  }

  void addGroup(llvm::StringRef name, llvm::ArrayRef<int64_t> called) {
    const Group *group = graph_.groups().find(name);
    llvm::ArrayRef<int64_t> ranks = called.empty() && group ? llvm::ArrayRef<int64_t>(group->ranks) : called;
    all_.push_back(ranks.empty() ? none : data_.internOrder(ranks));
    cells_.emplace_back();
    if (!called.empty() || !group)
      return;
    for (const std::vector<int64_t> &cell : group->partition) {
      Id order = data_.internOrder(cell);
      for (int64_t rank : cell)
        cells_.back()[rank] = order;
    }
    if (group->assumed && program_.usedGroups > all_.size() - 1)
      data_.assumedGroups.push_back(program_.groups[all_.size() - 1]);
  }

  const Graph &graph_;
  const Program &program_;
  JobData &data_;
  /// by group: the list of all ranks, and the cells by rank
  std::vector<Id> all_;
  std::vector<llvm::DenseMap<int64_t, Id>> cells_;
  /// with the first launch that requires it
  std::map<Need, Id> needs_;
};

} // namespace

Id JobData::internCall(const Call &call) {
  auto [entry, isNew] = interned->callIds.try_emplace(keyOf(call), static_cast<Id>(calls.size()));
  if (isNew)
    calls.push_back(call);
  return entry->second;
}

Id JobData::internProgram(Program program) {
  auto [entry, isNew] = interned->programIds.try_emplace(std::move(program), static_cast<Id>(programs.size()));
  if (isNew)
    programs.push_back(&entry->first);
  return entry->second;
}

Id JobData::internOrder(llvm::ArrayRef<int64_t> ranks) {
  auto [entry, isNew] = interned->orderIds.try_emplace(ranks.vec(), static_cast<Id>(orders.size()));
  if (!isNew)
    return entry->second;
  std::vector<int64_t> sorted = ranks.vec();
  llvm::sort(sorted);
  auto [set, isNewSet] = interned->setIds.try_emplace(sorted, static_cast<Id>(sets.size()));
  if (isNewSet)
    sets.push_back(std::move(sorted));
  orders.push_back({ranks.vec(), set->second});
  return entry->second;
}

std::string callText(const Call &call) {
  CollectiveFingerprint print;
  print.kind = call.kind;
  print.reduceOp = call.reduceOp;
  print.root = call.root;
  print.rows = call.rows;
  return print.payload();
}

Job::Job() : data_(std::make_unique<JobData>()) {}
Job::~Job() = default;
Job::Job(Job &&) noexcept = default;
Job &Job::operator=(Job &&) noexcept = default;

size_t Job::numRanks() const { return data_->ranks.size(); }
size_t Job::numPrograms() const { return data_->programs.size(); }

llvm::Error Job::add(const Graph &graph, llvm::ArrayRef<int64_t> ranks) {
  std::vector<std::vector<int64_t>> called;
  llvm::Expected<Program> program = readProgram(graph, *data_, called);
  if (!program)
    return program.takeError();
  OrderReader reader(graph, *program, called, *data_);
  std::vector<Rank> added;
  std::vector<Id> checked;
  for (int64_t rank : ranks) {
    if (data_->rankIds.count(rank) != 0)
      return fail(graph, "got a second graph for rank " + llvm::Twine(rank) + ", expected one", "list each rank once");
    added.push_back({rank, 0, reader.of(rank)});
    if (added.back().orders != checked)
      if (llvm::Error error = reader.check(added.back().orders))
        return error;
    checked = added.back().orders;
  }
  Id id = data_->internProgram(std::move(*program));
  for (Rank &rank : added) {
    rank.program = id;
    data_->rankIds[rank.rank] = static_cast<Id>(data_->ranks.size());
    data_->ranks.push_back(std::move(rank));
  }
  return llvm::Error::success();
}

} // namespace ccgraph::jobs
