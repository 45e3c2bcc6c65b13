#include "residency.h"

#include "program_draft.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace ccgraph::jobs {
namespace {

/// Issues the launches of one program in another order.
class Reordering {
public:
  Reordering(const Program &program, llvm::ArrayRef<Id> completedAt) : program_(program), draft_(program) {
    for (Id launch = 0; launch < program.launches.size(); ++launch)
      order_.push_back(launch);
    llvm::stable_sort(order_, [&](Id a, Id b) { return completedAt[a] < completedAt[b]; });
    isWaited_.resize(program.launches.size());
  }

  [[nodiscard]] bool changesNothing() const { return llvm::is_sorted(order_); }
  [[nodiscard]] llvm::ArrayRef<Id> order() const { return order_; }

  /// Returns the edited program.
  std::optional<Program> make() {
    std::vector<ProgramDraft::Item> old = std::move(draft_.items);
    draft_.items.clear();
    findReads(old);
    for (Id launch : order_) {
      for (; nextRead_ < reads_.size() && reads_[nextRead_].position < positionOf_[launch]; ++nextRead_)
        addRead(*reads_[nextRead_].item);
      waitFor(program_.inputsOf(program_.launches[launch]));
      draft_.items.push_back({Step::Kind::Launch, {launch}});
    }
    for (; nextRead_ < reads_.size(); ++nextRead_)
      addRead(*reads_[nextRead_].item);
    for (const ProgramDraft::Item &item : old)
      if (item.kind == Step::Kind::Wait)
        waitFor(item.launches);
    return draft_.make();
  }

private:
  struct Read {
    size_t position = 0;
    const ProgramDraft::Item *item = nullptr;
  };

  void findReads(llvm::ArrayRef<ProgramDraft::Item> items) {
    positionOf_.resize(program_.launches.size());
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i].kind == Step::Kind::Launch)
        positionOf_[items[i].launches.front()] = i;
      else if (items[i].kind == Step::Kind::HostRead)
        reads_.push_back({i, &items[i]});
  }

  void addRead(const ProgramDraft::Item &item) {
    waitFor(item.launches);
    draft_.items.push_back(item);
  }

  void waitFor(llvm::ArrayRef<Id> launches) {
    ProgramDraft::Item wait{Step::Kind::Wait, {}};
    for (Id launch : launches)
      if (!isWaited_[launch]) {
        isWaited_[launch] = true;
        wait.launches.push_back(launch);
      }
    if (!wait.launches.empty())
      draft_.items.push_back(std::move(wait));
  }

  const Program &program_;
  ProgramDraft draft_;
  std::vector<Id> order_;
  std::vector<bool> isWaited_;
  std::vector<size_t> positionOf_;
  std::vector<Read> reads_;
  size_t nextRead_ = 0;
};

bool isEnough(const JobData &job, const Classes &classes, Id limit) {
  return !simulate(job, classes, {Semantics::Streams, limit}).deadlock;
}

/// Divides ranks of one program by the names of its launches, in the order of the first rank.
std::vector<std::vector<Id>> byText(const JobData &job, llvm::ArrayRef<Id> ranks) {
  llvm::MapVector<Id, std::vector<Id>> divided;
  for (Id rank : ranks)
    divided[job.ranks[rank].text].push_back(rank);
  std::vector<std::vector<Id>> lists;
  for (auto &[text, list] : divided)
    lists.push_back(std::move(list));
  return lists;
}

LaunchOrder describe(const JobData &job, llvm::ArrayRef<Id> ranks, const Program &program, llvm::ArrayRef<Id> order) {
  LaunchOrder described;
  for (Id rank : ranks)
    described.ranks.push_back(job.ranks[rank].rank);
  llvm::sort(described.ranks);
  ProgramText text = job.textOf(job.ranks[ranks.front()]);
  auto nameOf = [&](Id launch) { return text.launches[program.launches[launch].text].name; };
  for (Id launch : order)
    described.launches.push_back(nameOf(launch));
  const auto *first = llvm::find_if(order, [&](const Id &launch) { return launch != &launch - order.data(); });
  auto place = static_cast<size_t>(first - order.begin());
  described.firstMove = described.launches[place] + " before " + nameOf(static_cast<Id>(place));
  std::vector<Id> moved(order.size());
  std::iota(moved.begin(), moved.end(), Id{0});
  auto at = moved.begin() + static_cast<std::ptrdiff_t>(place), from = moved.begin() + order[place];
  std::rotate(at, from, from + 1);
  described.isOneMove = llvm::ArrayRef<Id>(moved) == order;
  return described;
}

} // namespace

std::optional<size_t> neededResidents(const JobData &job, const Classes &classes) {
  Id most = 1;
  for (const Role &role : classes.roles)
    most = std::max(most, role.numLocals);
  if (!isEnough(job, classes, most))
    return std::nullopt;
  if (isEnough(job, classes, 1))
    return 1;
  Id tooFew = 1, enough = most;
  while (enough - tooFew > 1) {
    Id middle = tooFew + (enough - tooFew) / 2;
    (isEnough(job, classes, middle) ? enough : tooFew) = middle;
  }
  return enough;
}

std::vector<LaunchOrder> orderForOneResident(const JobData &job, const Classes &classes) {
  Progress progress = simulate(job, classes, Semantics::Dataflow);
  if (progress.deadlock)
    return {};
  JobData edited = job;
  std::vector<std::unique_ptr<Program>> programs;
  std::vector<LaunchOrder> orders;
  for (Id rankClass = 0; rankClass < classes.size(); ++rankClass) {
    llvm::ArrayRef<Id> ranks = classes.ranksOf[rankClass];
    const Program &program = job.programOf(job.ranks[ranks.front()]);
    Reordering reordering(program, progress.completedAt[rankClass]);
    std::optional<Program> made = reordering.make();
    if (!made)
      return {};
    programs.push_back(std::make_unique<Program>(std::move(*made)));
    for (Id rank : ranks)
      edited.ranks[rank].program = static_cast<Id>(edited.programs.size());
    edited.programs.push_back(programs.back().get());
    if (!reordering.changesNothing())
      for (const std::vector<Id> &named : byText(job, ranks))
        orders.push_back(describe(job, named, program, reordering.order()));
  }
  return isEnough(edited, divideRanks(edited), 1) ? orders : std::vector<LaunchOrder>();
}

} // namespace ccgraph::jobs
