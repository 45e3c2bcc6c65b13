#include "plans/slow_judge.h"

#include "ccgraph/ir/work.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace ccgraph::test {
namespace {

constexpr int64_t veryFar = int64_t{1} << 50;

bool overlap(const SlowAccess &a, const SlowAccess &b) {
  return a.space == b.space && a.begin < b.end && b.begin < a.end;
}

bool conflict(llvm::ArrayRef<SlowAccess> a, llvm::ArrayRef<SlowAccess> b) {
  return llvm::any_of(a, [&](const SlowAccess &x) {
    return llvm::any_of(b, [&](const SlowAccess &y) { return overlap(x, y) && (x.writes || y.writes); });
  });
}

bool isBarrier(const PlanStep &step) {
  return step.collective() && !step.collective()->calls.empty() &&
         step.collective()->calls.front().kind == CollectiveKind::Barrier;
}

bool worksInPlace(const PlanStep &step) {
  return step.collective() && llvm::all_of(step.collective()->calls, [](const PlanCollective &call) {
           return call.kind == CollectiveKind::AllReduce || call.kind == CollectiveKind::Broadcast;
         });
}

bool flagFits(const PlanOperand &operand, const OpDef &op, Access access) {
  if (operand.value.kind != PlanValue::Kind::Tensor)
    return true;
  bool writes = has(access, Access::Write), views = !writes && has(access, Access::Alias);
  bool others = llvm::any_of(op.params, [](const OpParam &param) { return has(param.access, Access::Write); });
  // It is unspecified whether an operator reads the operand that it views if it writes another operand.
  bool readsFit =
      (views && others && !has(access, Access::Read)) || operand.reads == (has(access, Access::Read) || views);
  return readsFit && operand.writes == writes;
}

bool isInArena(Home home) { return home == Home::Compute || home == Home::Communication; }

} // namespace

SlowJudge::SlowJudge(const Plan &plan) : plan_(plan) {
  for (const PlanStep &step : plan.steps)
    accesses_.push_back(accessesOf(step));
  for (size_t later = 0; later < accesses_.size(); ++later)
    for (size_t earlier = 0; earlier < later; ++earlier)
      if (conflict(accesses_[earlier], accesses_[later]))
        conflicts_.emplace_back(earlier, later);
}

std::optional<int64_t> SlowJudge::valueOf(const Dim &dim) const { return dim.evaluate(symbolsOf(plan_.layout)); }

SlowAccess SlowJudge::accessOf(const PlanAccess &access) const {
  if (!access.window)
    return {"slots", access.slot, int64_t{access.slot} + 1, access.reads, access.writes, -2};
  BufferId id = access.window->buffer;
  const PlanBuffer &buffer = plan_.buffers[id];
  std::string space = isInArena(buffer.home) ? homeName(buffer.home).str() : "buffer " + std::to_string(id);
  int64_t base = isInArena(buffer.home) ? plan_.layout.offsets[id] : 0;
  auto range = bytesOf(*access.window, symbolsOf(plan_.layout));
  if (!range)
    return {space, 0, veryFar, access.reads, access.writes, id};
  return {space, base + range->begin, base + range->end, access.reads, access.writes, id};
}

std::vector<SlowAccess> SlowJudge::accessesOf(const PlanStep &step) const {
  std::vector<SlowAccess> accesses;
  forEachAccess(step, [&](const PlanAccess &access) {
    SlowAccess found = accessOf(access);
    if (found.begin < found.end)
      accesses.push_back(found);
  });
  Domain domain = step.kernel() ? step.kernel()->op->domain : Domain::None;
  if (domain == Domain::Rng || domain == Domain::All)
    accesses.push_back({"unseen", 0, 1, false, true, -1});
  if (domain == Domain::Host || domain == Domain::All)
    accesses.push_back({"unseen", 1, 2, false, true, -1});
  return accesses;
}

std::vector<llvm::BitVector> SlowJudge::endedBefore(std::optional<std::pair<size_t, EventId>> without) const {
  std::vector<llvm::BitVector> ended;
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    const PlanStep &planned = plan_.steps[step];
    llvm::BitVector known(static_cast<unsigned>(plan_.steps.size()));
    for (size_t before = 0; before < step; ++before) {
      const PlanStep &other = plan_.steps[before];
      bool waits = other.event && llvm::is_contained(planned.waits, *other.event) &&
                   !(without && without->first == step && without->second == *other.event);
      if (!waits && other.stream != planned.stream && other.stream != Plan::hostStream)
        continue;
      known |= ended[before];
      known.set(static_cast<unsigned>(before));
    }
    ended.push_back(std::move(known));
  }
  return ended;
}

bool SlowJudge::eventsAreSound() const {
  for (EventId event = 0; event < plan_.numEvents; ++event) {
    std::vector<size_t> recorders, waiters;
    for (size_t step = 0; step < plan_.steps.size(); ++step) {
      if (plan_.steps[step].event == event)
        recorders.push_back(step);
      for (EventId wait : plan_.steps[step].waits)
        if (wait == event)
          waiters.push_back(step);
    }
    bool twice = std::adjacent_find(waiters.begin(), waiters.end()) != waiters.end();
    if (recorders.size() != 1 || waiters.empty() || waiters.front() <= recorders.front() || twice)
      return false;
  }
  return true;
}

bool SlowJudge::streamsFit() const {
  std::set<std::string> owners;
  for (const PlanStep &step : plan_.steps) {
    const PlanStream &stream = plan_.streams[step.stream];
    bool communicates = stream.kind == PlanStream::Kind::Collective || stream.kind == PlanStream::Kind::Transfer;
    if ((step.kernel() && communicates) || (step.copy() && stream.kind == PlanStream::Kind::Host))
      return false;
    bool number = false;
    if (step.kernel())
      forEachSlot(step.kernel()->result, [&](SlotId) { number = true; });
    if (number && stream.kind != PlanStream::Kind::Host)
      return false;
    if (!step.collective())
      continue;
    for (const PlanCollective &call : step.collective()->calls) {
      bool transfer = isPointToPoint(call.kind);
      if (stream.kind != (transfer ? PlanStream::Kind::Transfer : PlanStream::Kind::Collective) ||
          (stream.group && stream.group != call.group))
        return false;
      std::string channel = std::to_string(call.group);
      if (transfer)
        channel += " " + collectiveName(call.kind).str() + std::to_string(call.peer) + " " + std::to_string(call.tag);
      owners.insert(channel + ": " + std::to_string(step.stream));
    }
  }
  // A channel with two streams appears twice.
  std::set<std::string> channels;
  for (const std::string &owner : owners)
    channels.insert(owner.substr(0, owner.find(':')));
  return channels.size() == owners.size();
}

bool SlowJudge::memoryFits() const {
  for (size_t id = 0; id < plan_.buffers.size(); ++id) {
    const PlanBuffer &buffer = plan_.buffers[id];
    if (!isInArena(buffer.home))
      continue;
    int64_t size = buffer.home == Home::Compute ? plan_.layout.computeBytes : plan_.layout.communicationBytes;
    int64_t offset = plan_.layout.offsets[id];
    if (offset < 0 || offset % 64 != 0 || offset + valueOf(buffer.bytes).value_or(veryFar) > size)
      return false;
  }
  bool fits = true;
  for (const PlanStep &step : plan_.steps)
    forEachAccess(step, [&](const PlanAccess &access) {
      if (!access.window || plan_.buffers[access.window->buffer].home == Home::Growing)
        return;
      auto range = bytesOf(*access.window, symbolsOf(plan_.layout));
      Home home = plan_.buffers[access.window->buffer].home;
      // An input's sizes may depend on symbols whose values only the input gives.
      bool unknown = !range && (home == Home::Input || home == Home::Attribute);
      fits &= unknown || (range && range->end <= valueOf(plan_.buffers[access.window->buffer].bytes).value_or(veryFar));
      bool apart = step.collective() && plan_.layout.communicationBytes > 0;
      fits &= !apart || home != Home::Compute;
    });
  return fits;
}

/// Memory of the caller that is written must be returned to the caller.
bool SlowJudge::inputsFit() const {
  bool fits = true;
  for (const PlanStep &step : plan_.steps)
    forEachAccess(step, [&](const PlanAccess &access) {
      if (!access.window || !access.writes)
        return;
      Home home = plan_.buffers[access.window->buffer].home;
      bool shown = false;
      for (const PlanInput &input : plan_.inputs)
        forEachWindow(input.after, [&](const PlanWindow &after) { shown |= after.buffer == access.window->buffer; });
      fits &= shown || (home != Home::Input && home != Home::Attribute);
    });
  return fits;
}

/// Returns true if the step writes each element of its result over the same element of one operand, and no other
/// operand overlaps the result.
bool SlowJudge::takesAPlace(const PlanStep &step) const {
  const KernelStep *kernel = step.kernel();
  if (!kernel || kernel->result.kind != PlanValue::Kind::Tensor || workFamily(*kernel->op) != WorkFamily::Pointwise)
    return false;
  const PlanWindow &result = kernel->result.window;
  SlowAccess yielded = accessOf({&result, 0, false, true});
  size_t touching = 0, alike = 0;
  for (const PlanOperand &operand : kernel->operands)
    forEachWindow(operand.value, [&](const PlanWindow &window) {
      SlowAccess read = accessOf({&window, 0, true, false});
      touching += overlap(read, yielded);
      alike += overlap(read, yielded) && !operand.writes && window.buffer != result.buffer &&
               read.begin == yielded.begin && read.end == yielded.end && window.type->dtype() == result.type->dtype() &&
               window.type->sizes() == result.type->sizes() && window.type->strides() == result.type->strides();
    });
  return touching == 1 && alike == 1;
}

/// Checks that within each step no other buffer is on written bytes, and windows of a collective do not conflict.
bool SlowJudge::stepsAreApart() const {
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    bool communicates = plan_.steps[step].collective() != nullptr;
    llvm::ArrayRef<SlowAccess> touched = accesses_[step];
    for (size_t i = 0; i < touched.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const SlowAccess &a = touched[i], &b = touched[j];
        if (!overlap(a, b) || (!a.writes && !b.writes))
          continue;
        // A row that reduces or broadcasts may work in place: its send window comes just before its receive window.
        bool inPlace = i == j + 1 && b.reads && a.writes && !a.reads && !b.writes && a.begin == b.begin &&
                       a.end == b.end && worksInPlace(plan_.steps[step]);
        if ((a.buffer != b.buffer && !takesAPlace(plan_.steps[step])) || (communicates && !inPlace))
          return false;
      }
    // An empty window is not an access.
    if (plan_.steps[step].copy() && touched.size() == 2 && overlap(touched[0], touched[1]))
      return false;
  }
  return true;
}

/// Checks the arguments for declared parameters, also in lists; operators with a subgraph are not checked.
bool SlowJudge::flagsFit() const {
  for (const PlanStep &step : plan_.steps) {
    const KernelStep *kernel = step.kernel();
    if (!kernel || kernel->op->opaque || kernel->op->role != OpRole::Compute)
      continue;
    std::vector<std::pair<Argument, int>> given; // with the index of its parameter
    for (size_t i = 0; i < kernel->args.size(); ++i)
      given.emplace_back(kernel->args[i], static_cast<int>(i));
    for (const NamedArgument &entry : kernel->kwargs)
      given.emplace_back(entry.value, kernel->op->paramIndex(entry.name.str()));
    for (const auto &[tree, param] : given)
      for (const Argument &argument : tree.isSequence() ? tree.elements() : llvm::ArrayRef(tree))
        if (argument.is(Argument::Kind::Operand) && param >= 0 && param < static_cast<int>(kernel->op->params.size()) &&
            !flagFits(kernel->operands[argument.operandIndex()], *kernel->op,
                      kernel->op->params[static_cast<size_t>(param)].access))
          return false;
  }
  return true;
}

/// relu_ returns its operand, and relu returns a new tensor, as does __lshift__.
bool SlowJudge::resultsAreInPlace() const {
  for (const PlanStep &step : plan_.steps) {
    const KernelStep *kernel = step.kernel();
    if (!kernel || kernel->result.kind != PlanValue::Kind::Tensor)
      continue;
    const PlanWindow &result = kernel->result.window;
    llvm::StringRef target = kernel->op->target.str();
    llvm::StringRef base = target.take_front(target.find('.', target.find('.') + 1));
    if (base.endswith("_") && !base.endswith("__")) {
      const PlanWindow &self = kernel->operands.front().value.window;
      if (self.buffer != result.buffer || self.offset != result.offset)
        return false;
      continue;
    }
    SlowAccess yielded = accessOf({&result, 0, false, true});
    bool over = false, written = false;
    for (const PlanOperand &operand : kernel->operands)
      forEachWindow(operand.value, [&](const PlanWindow &window) {
        bool same = operand.reads && overlap(accessOf({&window, 0, true, false}), yielded);
        over |= same;
        written |= same && operand.writes;
      });
    if (over && !written && !takesAPlace(step))
      return false;
  }
  return true;
}

bool SlowJudge::countsFit() const {
  auto count = [&](const std::optional<PlanWindow> &window) -> std::optional<int64_t> {
    int64_t elements = 1;
    for (const Dim &size : window ? window->type->sizes() : llvm::ArrayRef<Dim>()) {
      std::optional<int64_t> value = valueOf(size);
      if (!value)
        return std::nullopt;
      elements *= *value;
    }
    return window ? std::optional(elements) : std::nullopt;
  };
  auto sum = [&](llvm::ArrayRef<Dim> counts) {
    int64_t all = 0;
    for (const Dim &part : counts)
      all += valueOf(part).value_or(0);
    return all;
  };
  for (const PlanStep &step : plan_.steps)
    for (const PlanCollective &call :
         step.collective() ? step.collective()->calls : llvm::SmallVector<PlanCollective, 1>()) {
      std::optional<int64_t> members = plan_.groups[call.group].size();
      bool rooted = call.kind == CollectiveKind::Broadcast || call.kind == CollectiveKind::Scatter;
      int64_t other = isPointToPoint(call.kind) ? call.peer : rooted ? call.root : 0;
      if (other < 0 || (members && other >= *members))
        return false;
      bool splits = call.kind == CollectiveKind::AllToAll;
      bool plain = (rooted || call.root == -1) && (isPointToPoint(call.kind) || (call.peer == -1 && call.tag == 0)) &&
                   (splits || (call.sendCounts.empty() && call.receiveCounts.empty()));
      if (!plain)
        return false;
      for (const PlanRow &row : call.rows) {
        std::optional<int64_t> sent = count(row.send), received = count(row.receive);
        if (!sent || !received || !members)
          continue;
        int64_t n = *members;
        bool fits = call.kind == CollectiveKind::AllGather       ? *received == n * *sent
                    : call.kind == CollectiveKind::ReduceScatter ? *sent == n * *received
                    : call.kind == CollectiveKind::Scatter       ? *sent == n * *received
                    : call.kind == CollectiveKind::AllToAll
                        ? sum(call.sendCounts) == *sent && sum(call.receiveCounts) == *received
                        : *sent == *received;
        if (!fits)
          return false;
      }
    }
  return true;
}

bool SlowJudge::allIsOrdered() const {
  std::vector<llvm::BitVector> ended = endedBefore();
  return llvm::all_of(conflicts_, [&](const auto &pair) { return ended[pair.second].test(pair.first); });
}

/// Visits all writes before a step backwards, until each byte of the read has met a write to its own buffer.
bool SlowJudge::holds(const SlowAccess &read, size_t before) const {
  std::vector<std::pair<int64_t, int64_t>> open = {{read.begin, read.end}};
  auto meet = [&](int64_t begin, int64_t end) {
    bool met = false;
    std::vector<std::pair<int64_t, int64_t>> rest;
    for (auto [from, to] : open) {
      met |= from < end && begin < to;
      if (from < begin)
        rest.emplace_back(from, std::min(to, begin));
      if (end < to)
        rest.emplace_back(std::max(from, end), to);
    }
    open = std::move(rest);
    return met;
  };
  for (size_t step = before; step-- > 0;)
    for (const SlowAccess &write : accesses_[step])
      if (write.writes && write.space == read.space && meet(write.begin, write.end) && write.buffer != read.buffer)
        return false;
  for (const PlanInput &input : plan_.inputs) {
    forEachWindow(input.value, [&](const PlanWindow &window) {
      if (int64_t{window.buffer} == read.buffer)
        meet(0, veryFar);
    });
    forEachSlot(input.value, [&](SlotId slot) {
      if (read.buffer == -2)
        meet(slot, int64_t{slot} + 1);
    });
  }
  return llvm::all_of(open, [](const auto &range) { return range.first >= range.second; });
}

bool SlowJudge::contentIsThere() const {
  for (size_t step = 0; step < plan_.steps.size(); ++step)
    for (const SlowAccess &access : accesses_[step])
      if (access.reads && !holds(access, step))
        return false;
  bool there = true;
  auto look = [&](const PlanValue &value) {
    forEachWindow(value, [&](const PlanWindow &window) {
      SlowAccess access = accessOf({&window, 0, true, false});
      there &= access.begin >= access.end || holds(access, plan_.steps.size());
    });
    forEachSlot(value, [&](SlotId slot) {
      there &= holds(accessOf({nullptr, slot, true, false}), plan_.steps.size());
    });
  };
  for (const PlanValue &value : plan_.outputs)
    look(value);
  for (const PlanInput &input : plan_.inputs)
    look(input.after);
  return there;
}

bool SlowJudge::noWaitIsIdle() const {
  std::vector<llvm::BitVector> all = endedBefore();
  for (size_t step = 0; step < plan_.steps.size(); ++step)
    for (EventId event : plan_.steps[step].waits) {
      std::vector<llvm::BitVector> ended = endedBefore(std::make_pair(step, event));
      bool needed = llvm::any_of(conflicts_, [&](const auto &pair) {
        return all[pair.second].test(pair.first) && !ended[pair.second].test(pair.first);
      });
      size_t recorder = 0;
      for (size_t other = 0; other < plan_.steps.size(); ++other)
        recorder = plan_.steps[other].event == event ? other : recorder;
      bool barrier = isBarrier(plan_.steps[step]) || isBarrier(plan_.steps[recorder]);
      if (!needed && !(barrier && !ended[step].test(recorder)))
        return false;
    }
  return true;
}

std::string SlowJudge::verdict() const {
  if (!eventsAreSound())
    return "events";
  if (!streamsFit())
    return "streams";
  if (!memoryFits())
    return "memory";
  if (!inputsFit())
    return "inputs";
  if (!stepsAreApart())
    return "apart";
  if (!flagsFit())
    return "flags";
  if (!resultsAreInPlace())
    return "results";
  if (!countsFit())
    return "counts";
  if (!contentIsThere())
    return "content";
  if (!allIsOrdered())
    return "order";
  return noWaitIsIdle() ? "" : "idle";
}

std::string slowVerdict(const Plan &plan) { return SlowJudge(plan).verdict(); }

} // namespace ccgraph::test
