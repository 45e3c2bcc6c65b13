#include "ccgraph/jobs/job.h"

#include "plan_program.h"
#include "program_join.h"
#include "program_reader.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/dtype.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <functional>

namespace ccgraph::jobs {
namespace {

/// Returns bytes that are equal for equal calls only.
llvm::SmallString<128> keyOf(const Call &call) {
  llvm::SmallString<128> key;
  auto add = [&](int64_t number) { key += llvm::StringRef(reinterpret_cast<const char *>(&number), sizeof number); };
  auto list = [&](llvm::ArrayRef<int64_t> numbers) {
    add(static_cast<int64_t>(numbers.size()));
    llvm::for_each(numbers, add);
  };
  add(static_cast<int64_t>(call.kind));
  add(call.reduceOp ? static_cast<int64_t>(*call.reduceOp) : -1);
  add(call.root.value_or(-1));
  add(call.isEven ? 1 : 0);
  add(call.received.value_or(-1));
  add(static_cast<int64_t>(call.rows.size()));
  for (const CollectiveFingerprint::Row &row : call.rows) {
    add(row.dtype ? static_cast<int64_t>(*row.dtype) : -1);
    add(row.elements.value_or(-1));
  }
  list(call.sends);
  list(call.receives);
  key += call.symbols;
  return key;
}

llvm::Error fail(llvm::StringRef program, const llvm::Twine &message, const llvm::Twine &repair) {
  Diagnostic diagnostic;
  diagnostic.rule = "job.ranks";
  diagnostic.where = program.str();
  diagnostic.message = message.str();
  diagnostic.notes.push_back(repair.str());
  return makeError(std::move(diagnostic));
}

/// The common part of a graph and a plan.
struct ProgramSource {
  llvm::StringRef name;
  const GroupTable &groups;
  /// Returns a diagnostic about the node or step of this name.
  std::function<Diagnostic(llvm::StringRef node, llvm::StringRef rule, std::string message, std::string repair)>
      diagnose;
};

/// The orders of ranks that one program gives, for each of its ranks.
class OrderReader {
public:
  OrderReader(const ProgramSource &source, const ReadProgram &read, const std::vector<std::vector<int64_t>> &called,
              JobData &data)
      : source_(source), program_(read.program), text_(read.text), data_(data) {
    for (size_t i = 0; i < text_.groups.size(); ++i)
      addGroup(data.names()[text_.groups[i]], called[i]);
    for (size_t i = 0; i < program_.launches.size(); ++i)
      addNeeds(static_cast<Id>(i), program_.launches[i]);
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
      llvm::StringRef node = text_.launches[program_.launches[launch].text].name;
      if (orders[need.group] == none)
        return makeError(source_.diagnose(node, "job.group",
                                          "got group '" + data_.names()[text_.groups[need.group]].str() +
                                              "', whose ranks no file states",
                                          "give its ranks with --groups"));
      auto size = static_cast<int64_t>(data_.orders[orders[need.group]].ranks.size());
      if (need.what != What::Parts && (need.value < 0 || need.value >= size))
        return badPlace(node, need.what == What::Peer ? "peer" : "root", need.value, size);
      if (need.what == What::Parts && need.value != size)
        return makeError(source_.diagnose(node, "job.splits",
                                          "got " + std::to_string(need.value) + " splits on a group of " +
                                              std::to_string(size) + " ranks, expected one for each rank",
                                          "the group file may belong to another job"));
    }
    return llvm::Error::success();
  }

private:
  enum class What : uint8_t { Peer, Root, Parts };
  /// The requirement of a launch on the size of its group. A peer of 0 stands for launches without any place.
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

  [[nodiscard]] llvm::Error badPlace(llvm::StringRef node, const std::string &what, int64_t place, int64_t size) const {
    return makeError(source_.diagnose(node, "job." + what,
                                      "got " + what + " " + std::to_string(place) + " of a group of " +
                                          std::to_string(size) + " ranks, expected 0 to " + std::to_string(size - 1),
                                      "a " + what + " is the place of a rank in its group"));
  }

  void addGroup(llvm::StringRef name, llvm::ArrayRef<int64_t> called) {
    const Group *group = source_.groups.find(name);
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
      data_.assumedGroups.push_back(text_.groups[all_.size() - 1]);
  }

  const ProgramSource &source_;
  const Program &program_;
  const ProgramText &text_;
  JobData &data_;
  /// by group: the list of all ranks, and the cells by rank
  std::vector<Id> all_;
  std::vector<llvm::DenseMap<int64_t, Id>> cells_;
  /// with the first launch that requires it
  std::map<Need, Id> needs_;
};

/// A program, and by rank its orders.
struct OrderedProgram {
  ReadProgram read;
  std::vector<std::vector<Id>> orders;
};

llvm::Expected<OrderedProgram> withOrders(const ProgramSource &source, ReadProgram read,
                                          const std::vector<std::vector<int64_t>> &called,
                                          llvm::ArrayRef<int64_t> ranks, JobData &data) {
  OrderReader reader(source, read, called, data);
  OrderedProgram ordered;
  for (int64_t rank : ranks) {
    std::vector<Id> orders = reader.of(rank);
    if (ordered.orders.empty() || orders != ordered.orders.back())
      if (llvm::Error error = reader.check(orders))
        return error;
    ordered.orders.push_back(std::move(orders));
  }
  ordered.read = std::move(read);
  return ordered;
}

llvm::Expected<OrderedProgram> readGraph(const Graph &graph, llvm::ArrayRef<int64_t> ranks, const StorageMap *storages,
                                         JobData &data) {
  std::vector<std::vector<int64_t>> called;
  llvm::Expected<ReadProgram> program = readProgram(graph, storages, data, called);
  if (!program)
    return program.takeError();
  ProgramSource source{graph.name(), graph.groups(), [&](auto node, auto rule, auto message, auto repair) {
                         return diagnose(*graph.find(node), rule, std::move(message), std::move(repair));
                       }};
  return withOrders(source, std::move(*program), called, ranks, data);
}

llvm::Expected<OrderedProgram> readPlan(const Plan &plan, llvm::ArrayRef<int64_t> ranks, JobData &data) {
  ReadProgram program = readPlanProgram(plan, data);
  GroupTable groups;
  for (const Group &group : plan.groups)
    groups.set(group);
  ProgramSource source{plan.name, groups, [](auto step, auto rule, auto message, auto repair) {
                         Diagnostic diagnostic = diagnose(rule, std::move(message), std::move(repair));
                         diagnostic.where = step.str();
                         return diagnostic;
                       }};
  std::vector<std::vector<int64_t>> called(program.text.groups.size());
  return withOrders(source, std::move(program), called, ranks, data);
}

/// Adds the program of ranks that have none yet.
llvm::Error addRanks(llvm::StringRef name, llvm::Expected<OrderedProgram> ordered, llvm::ArrayRef<int64_t> ranks,
                     JobData &data) {
  if (!ordered)
    return ordered.takeError();
  Id id = data.internProgram(std::move(ordered->read.program)), text = data.internText(ordered->read.text);
  for (size_t i = 0; i < ranks.size(); ++i) {
    auto [entry, isNew] = data.rankIds.try_emplace(ranks[i], static_cast<Id>(data.ranks.size()));
    if (!isNew)
      return fail(name, "got a second graph for rank " + llvm::Twine(ranks[i]) + ", expected one",
                  "list each rank once");
    data.ranks.push_back({ranks[i], id, text, std::move(ordered->orders[i])});
  }
  return llvm::Error::success();
}

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

Id JobData::internText(const ProgramText &text) {
  auto [entry, isNew] = interned->textIds.try_emplace(PackedText(text, interned->forms), static_cast<Id>(texts.size()));
  if (isNew)
    texts.push_back(&entry->first);
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
std::vector<int64_t> Job::ranks() const {
  std::vector<int64_t> ranks;
  for (const Rank &rank : data_->ranks)
    ranks.push_back(rank.rank);
  llvm::sort(ranks);
  return ranks;
}
size_t Job::numPrograms() const {
  llvm::DenseSet<std::pair<Id, Id>> programs;
  for (const Rank &rank : data_->ranks)
    programs.insert({rank.program, rank.text});
  return programs.size();
}

llvm::Error Job::add(const Graph &graph, llvm::ArrayRef<int64_t> ranks, const StorageMap *storages) {
  return addRanks(graph.name(), readGraph(graph, ranks, storages, *data_), ranks, *data_);
}

llvm::Error Job::add(const Plan &plan, llvm::ArrayRef<int64_t> ranks) {
  return addRanks(plan.name, readPlan(plan, ranks, *data_), ranks, *data_);
}

llvm::Error Job::append(const Graph &graph, llvm::ArrayRef<int64_t> ranks, llvm::StringRef label,
                        const StorageMap *storages) {
  llvm::Expected<OrderedProgram> ordered = readGraph(graph, ranks, storages, *data_);
  if (!ordered)
    return ordered.takeError();
  for (LaunchText &launch : ordered->read.text.launches)
    launch.name = (label + ": " + launch.name).str();
  for (size_t i = 0; i < ranks.size(); ++i) {
    RankProgram added{ordered->read.program, ordered->read.text, std::move(ordered->orders[i])};
    auto [entry, isNew] = data_->rankIds.try_emplace(ranks[i], static_cast<Id>(data_->ranks.size()));
    if (isNew)
      data_->ranks.push_back({ranks[i], 0, 0, {}});
    Rank &rank = data_->ranks[entry->second];
    if (!isNew)
      added = joinPrograms({data_->programOf(rank), data_->textOf(rank), rank.orders}, added);
    rank.program = data_->internProgram(std::move(added.program));
    rank.text = data_->internText(added.text);
    rank.orders = std::move(added.orders);
  }
  return llvm::Error::success();
}

} // namespace ccgraph::jobs
