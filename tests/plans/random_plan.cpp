#include "plans/random_plan.h"

#include "plans/slow_judge.h"
#include "support/random.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace ccgraph::test {
namespace {

using Kind = CollectiveKind;

class PlanMaker {
public:
  explicit PlanMaker(uint64_t seed) : random_(seed), draft_(std::make_unique<PlanDraft>()), d_(*draft_) {}

  std::unique_ptr<PlanDraft> make() {
    communication_ = random_.below(3) ? Home::Communication : Home::Compute;
    makeStreams();
    for (size_t i = 0, count = 1 + random_.below(3); i < count; ++i)
      values_.push_back(d_.input("in" + std::to_string(i), elements(), i % 2 ? Home::Attribute : Home::Input));
    for (size_t i = 0, count = 4 + random_.below(28); i < count; ++i)
      takeStep();
    for (size_t i = 0, count = 1 + random_.below(3); i < count; ++i)
      d_.returns(any());
    sayWhatIsLeft();
    place();
    orderByAllPairs(d_.plan);
    hoistWaits();
    return std::move(draft_);
  }

private:
  int64_t elements() { return static_cast<int64_t>(12 * (1 + random_.below(6))); }
  PlanWindow any() { return random_.of(values_); }
  std::string name() { return "b" + std::to_string(d_.plan.buffers.size()); }
  /// Its offset is chosen when all lifetimes are known.
  PlanWindow fresh(Home home, int64_t count) { return d_.window(d_.buffer(name(), home, count), count); }
  void keep(const PlanWindow &window) { values_.push_back(window); }

  void makeStreams() {
    size_t groups = 1 + random_.below(3);
    for (size_t i = 0; i < groups; ++i) {
      std::vector<int64_t> ranks;
      for (size_t rank = 0, size = 2 + random_.below(3); rank < size; ++rank)
        ranks.push_back(static_cast<int64_t>(rank + i));
      uint32_t group = d_.group("g" + std::to_string(i), ranks);
      collectives_.push_back(d_.collectives(group));
    }
    sends_ = d_.transfers(0);
    receives_ = d_.transfers(0);
  }

  void takeStep() {
    switch (random_.below(12)) {
    case 0:
    case 1:
      return compute();
    case 2:
      return change();
    case 3:
      return draw();
    case 4:
      return number();
    case 5:
      return transfer();
    case 6:
      return fill();
    default:
      return collective();
    }
  }

  /// Returns a value, or a part of it.
  PlanWindow part() {
    PlanWindow whole = any();
    int64_t count = whole.type->sizes()[0].value();
    if (random_.below(3) != 0 || count < 24)
      return whole;
    int64_t skipped = 12 * static_cast<int64_t>(random_.below(static_cast<size_t>(count / 12)));
    return d_.window(whole.buffer, count - skipped, whole.offset.value() + skipped);
  }

  void compute() {
    PlanWindow from = part();
    PlanWindow to = fresh(random_.below(4) ? Home::Compute : Home::Growing, from.type->sizes()[0].value());
    if (random_.below(2))
      d_.kernel("aten.relu.default", {d_.reads(from)}, to);
    else
      d_.kernel("aten.add.Tensor", {d_.reads(from), d_.reads(part())}, to);
    keep(to);
  }

  void change() {
    PlanWindow to = part();
    PlanWindow from = part();
    if (from.buffer == to.buffer || random_.below(2))
      d_.kernel("aten.relu_.default", {d_.changes(to)}, to);
    else
      d_.kernel("aten.add_.Tensor", {d_.changes(to), d_.reads(from)}, to);
  }

  void draw() {
    PlanWindow to = fresh(Home::Compute, elements());
    d_.kernel("aten.bernoulli.default", {d_.reads(part())}, to);
    keep(to);
  }

  void number() {
    SlotId slot = d_.plan.numSlots++;
    d_.kernel("aten._local_scalar_dense.default", {d_.reads(part())}, PlanValue::number(slot, nullptr),
              Plan::hostStream);
    PlanWindow to = fresh(Home::Compute, elements());
    if (random_.below(2))
      compute();
    d_.kernel("aten.full.default", {{PlanValue::number(slot, nullptr), true, false}}, to);
    keep(to);
  }

  /// Returns the value in memory that a collective may read.
  PlanWindow sendable() {
    PlanWindow from = part();
    if (d_.plan.buffers[from.buffer].home != Home::Compute || (communication_ == Home::Compute && random_.below(3)))
      return from;
    PlanWindow staged = fresh(communication_, from.type->sizes()[0].value());
    d_.copy(from, staged);
    if (random_.below(2))
      keep(staged);
    return staged;
  }

  /// Fills a buffer in two pieces.
  void fill() {
    int64_t half = elements();
    PlanWindow whole = fresh(random_.below(2) ? Home::Compute : communication_, 2 * half);
    PlanWindow first = d_.window(whole.buffer, half), second = d_.window(whole.buffer, half, half);
    PlanWindow from = any();
    d_.kernel("aten.relu.default", {d_.reads(from)}, first);
    if (random_.below(2))
      compute();
    d_.kernel("aten.relu.default", {d_.reads(random_.below(2) ? first : from)}, second);
    keep(whole);
  }

  PlanCollective callOf(Kind kind, StreamId stream) {
    int64_t n = *d_.plan.groups[*d_.plan.streams[stream].group].size();
    PlanWindow send = sendable();
    int64_t count = send.type->sizes()[0].value();
    if (kind == Kind::ReduceScatter || kind == Kind::AllToAll)
      send = d_.window(send.buffer, count / n * n, send.offset.value());
    count = send.type->sizes()[0].value();
    int64_t received = kind == Kind::AllGather ? count * n : kind == Kind::ReduceScatter ? count / n : count;
    bool inPlace = (kind == Kind::AllReduce || kind == Kind::Broadcast) && random_.below(3) == 0;
    PlanWindow receive = inPlace ? send : fresh(communication_, received);
    PlanCollective call = d_.call(kind, stream, send, receive);
    if (kind == Kind::AllToAll)
      call.sendCounts.assign(static_cast<size_t>(n), count / n), call.receiveCounts = call.sendCounts;
    made_.push_back(receive);
    return call;
  }

  void collective() {
    StreamId stream = random_.of(collectives_);
    if (random_.below(16) == 0) {
      d_.start(stream, {d_.call(Kind::Barrier, stream, std::nullopt, std::nullopt)});
      return;
    }
    constexpr Kind kinds[] = {Kind::AllReduce,     Kind::AllReduce, Kind::AllGather,
                              Kind::ReduceScatter, Kind::AllToAll,  Kind::Broadcast};
    made_.clear();
    PlanCollective call = callOf(kinds[random_.below(6)], stream);
    d_.start(stream, {call});
    values_.insert(values_.end(), made_.begin(), made_.end());
  }

  void transfer() {
    bool batch = random_.below(3) == 0;
    PlanWindow to = fresh(communication_, elements());
    PlanCollective receive = d_.call(Kind::Recv, receives_, std::nullopt, to);
    if (batch) {
      int64_t half = to.type->sizes()[0].value() / 2;
      receive.rows[0].receive = d_.window(to.buffer, half);
      PlanCollective other = d_.call(Kind::Recv, receives_, std::nullopt, d_.window(to.buffer, half, half));
      other.tag = 1;
      d_.start(receives_, {receive, other});
    } else {
      d_.start(receives_, {receive});
    }
    PlanWindow from = sendable();
    d_.start(sends_, {d_.call(Kind::Send, sends_, from, std::nullopt)});
    keep(to);
  }

  void sayWhatIsLeft() {
    for (PlanInput &input : d_.plan.inputs)
      for (const PlanStep &step : d_.plan.steps)
        forEachAccess(step, [&](const PlanAccess &access) {
          if (access.window && access.writes && access.window->buffer == input.value.window.buffer)
            input.after = input.value;
        });
  }

  // --- Memory -----------------------------------------------------------------------------------------------
  struct Life {
    size_t begin = std::numeric_limits<size_t>::max();
    size_t end = 0;
  };

  std::vector<Life> lives() const {
    std::vector<Life> lives(d_.plan.buffers.size());
    for (size_t step = 0; step < d_.plan.steps.size(); ++step)
      forEachAccess(d_.plan.steps[step], [&](const PlanAccess &access) {
        if (!access.window)
          return;
        Life &life = lives[access.window->buffer];
        life.begin = std::min(life.begin, step);
        life.end = step;
      });
    for (const PlanValue &value : d_.plan.outputs)
      lives[value.window.buffer].end = d_.plan.steps.size();
    return lives;
  }

  void place() {
    std::vector<Life> all = lives();
    d_.plan.layout.computeBytes = d_.plan.layout.communicationBytes = 0;
    for (size_t id = 0; id < all.size(); ++id) {
      Home home = d_.plan.buffers[id].home;
      if (home != Home::Compute && home != Home::Communication)
        continue;
      int64_t bytes = d_.plan.buffers[id].bytes.value();
      int64_t at = static_cast<int64_t>(64 * random_.below(3));
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t other = 0; other < id; ++other) {
          int64_t begin = d_.plan.layout.offsets[other], end = begin + d_.plan.buffers[other].bytes.value();
          bool apart = d_.plan.buffers[other].home != home || at >= end || at + bytes <= begin ||
                       all[other].end < all[id].begin || all[id].end < all[other].begin;
          if (apart)
            continue;
          at = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(end), 64));
          moved = true;
        }
      }
      d_.plan.layout.offsets[id] = at;
      int64_t &arena = home == Home::Compute ? d_.plan.layout.computeBytes : d_.plan.layout.communicationBytes;
      arena = std::max(arena, at + bytes);
    }
  }

  // --- Waits ------------------------------------------------------------------------------------------------
  void hoistWaits() {
    for (int attempt = 0; attempt < 3; ++attempt) {
      size_t step = random_.below(d_.plan.steps.size());
      PlanStep &late = d_.plan.steps[step];
      if (late.waits.empty() || step == 0)
        continue;
      size_t to = random_.below(step);
      EventId event = late.waits.back();
      if (d_.plan.steps[to].stream != late.stream || llvm::is_contained(d_.plan.steps[to].waits, event))
        continue;
      late.waits.pop_back();
      d_.plan.steps[to].waits.push_back(event);
      if (slowVerdict(d_.plan).empty())
        continue;
      d_.plan.steps[to].waits.pop_back();
      late.waits.push_back(event);
    }
  }

  Random random_;
  std::unique_ptr<PlanDraft> draft_;
  PlanDraft &d_;
  Home communication_ = Home::Communication; ///< home of the buffers that collectives use
  std::vector<StreamId> collectives_;
  StreamId sends_ = 0;
  StreamId receives_ = 0;
  std::vector<PlanWindow> values_;
  std::vector<PlanWindow> made_;
};

} // namespace

void orderByAllPairs(Plan &plan) {
  plan.numEvents = 0;
  for (PlanStep &step : plan.steps) {
    step.event.reset();
    step.waits.clear();
  }
  SlowJudge judge(plan);
  for (size_t later = 0; later < plan.steps.size(); ++later)
    for (size_t earlier = later; earlier-- > 0;) {
      bool conflict = llvm::is_contained(judge.conflicts(), std::make_pair(earlier, later));
      if (!conflict || judge.endedBefore()[later].test(static_cast<unsigned>(earlier)))
        continue;
      if (!plan.steps[earlier].event)
        plan.steps[earlier].event = plan.numEvents++;
      plan.steps[later].waits.push_back(*plan.steps[earlier].event);
    }
}

void dropIdleEvents(Plan &plan) {
  EventId next = 0;
  std::vector<EventId> renamed(plan.numEvents, 0);
  for (PlanStep &step : plan.steps) {
    bool used = step.event && llvm::any_of(plan.steps, [&](const PlanStep &other) {
                  return llvm::is_contained(other.waits, *step.event);
                });
    if (used)
      renamed[*step.event] = next++;
    step.event = used ? std::optional(renamed[*step.event]) : std::nullopt;
  }
  for (PlanStep &step : plan.steps)
    for (EventId &event : step.waits)
      event = renamed[event];
  plan.numEvents = next;
}

std::unique_ptr<PlanDraft> makeRandomPlan(uint64_t seed) { return PlanMaker(seed).make(); }

} // namespace ccgraph::test
