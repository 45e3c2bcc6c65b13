// Order: checks that conflicting accesses are ordered, that bytes still hold what is read, and that each wait is
// necessary.
//
// Steps are entered into a Footprint in list order, which agrees with every order that events and streams can express.
// The Footprint returns the steps that each access meets: the last writer of a byte, and its readers since. Every step
// with an earlier access to the byte has met one of these, so if all conflicts are ordered, all pairs are.
#include "plan_verifier/clocks.h"
#include "plan_verifier/footprint.h"

#include "ccgraph/ir/value_names.h"

namespace ccgraph::plan_verifier {
namespace {

/// An earlier step that accessed some of the same bytes, where one of the two writes.
struct Conflict {
  size_t step;
  bool wrote;
  /// whether the later step writes
  bool writes;
  ByteRange bytes;
  /// of the later step; null for a number and for effects without a window
  const PlanWindow *window;
  /// the earlier step's buffer there; `absent` if it did not write
  BufferId buffer;
};

/// One access of the current step.
struct Touch {
  const PlanWindow *window;
  Stretch stretch;
  BufferId buffer; ///< `absent` for effects without a window
};

/// A wait that its own step does not need.
struct Doubt {
  size_t step;
  EventId event;
  size_t recorder;
};

/// Number slots are entered under this id, as if all were one buffer.
constexpr BufferId numbers = absent - 1;
constexpr size_t mostIdle = 100;

bool isBarrier(const PlanStep &step) {
  const CollectiveStep *collective = step.collective();
  return collective && llvm::any_of(collective->calls,
                                    [](const PlanCollective &call) { return call.kind == CollectiveKind::Barrier; });
}

class OrderRules {
public:
  OrderRules(Report &report, const Places &places)
      : report_(report), plan_(report.plan()), places_(places), footprint_(places.numSpaces()), clocks_(plan_),
        needs_(plan_.steps.size()) {}

  void run() {
    for (const PlanInput &input : plan_.inputs)
      giveInput(input.value);
    for (step_ = 0; step_ < plan_.steps.size(); ++step_)
      visit(plan_.steps[step_]);
    for (size_t i = 0; i < plan_.outputs.size(); ++i)
      checkReturned(outputName(i), plan_.outputs[i]);
    for (const PlanInput &input : plan_.inputs)
      checkReturned(input.name + " afterwards", input.after);
    settleDoubts();
  }

private:
  void giveInput(const PlanValue &value) {
    auto ignore = [](ByteRange, const Segment &) {};
    forEachWindow(value, [&](const PlanWindow &window) {
      footprint_.write(places_.allOf(window.buffer), theCaller, window.buffer, ignore);
    });
    forEachSlot(value, [&](SlotId slot) { footprint_.write(places_.stretchOf(slot), theCaller, numbers, ignore); });
  }

  void visit(const PlanStep &step) {
    clocks_.begin(step_);
    conflicts_.clear();
    enter(step);
    checkConflicts();
    clocks_.forEachWait([&](EventId event, const Clocks::Clock &without) { checkWait(event, without); });
    clocks_.end();
  }

  /// Enters the reads of a step before its writes, since a step reads what was there before it.
  void enter(const PlanStep &step) {
    llvm::SmallVector<Touch, 8> reads, writes;
    forEachAccess(step, [&](const PlanAccess &access) {
      Touch touch = access.window ? Touch{access.window, places_.stretchOf(*access.window), access.window->buffer}
                                  : Touch{nullptr, places_.stretchOf(access.slot), numbers};
      if (access.reads)
        reads.push_back(touch);
      if (access.writes)
        writes.push_back(touch);
    });
    for (int64_t effect : unseenEffects(step))
      writes.push_back({nullptr, places_.unseen(effect), absent});
    for (const Touch &touch : reads)
      enterRead(touch);
    for (const Touch &touch : writes)
      enterWrite(touch);
  }

  void enterRead(const Touch &touch) {
    bool complained = false;
    Reader reader{plan_.steps[step_].stream, static_cast<uint32_t>(step_)};
    footprint_.read(touch.stretch, reader, [&](ByteRange bytes, const Segment &segment) {
      if (!complained)
        complained = !checkContent("step " + std::to_string(step_) + " ", touch, bytes, segment);
      if (segment.writer < theCaller)
        conflicts_.push_back({segment.writer, true, false, bytes, touch.window, segment.buffer});
    });
  }

  void enterWrite(const Touch &touch) {
    uint32_t self = static_cast<uint32_t>(step_);
    footprint_.write(touch.stretch, self, touch.buffer, [&](ByteRange bytes, const Segment &segment) {
      if (segment.writer < theCaller && segment.writer != self)
        conflicts_.push_back({segment.writer, true, true, bytes, touch.window, segment.buffer});
      for (const Reader &reader : segment.readers)
        if (reader.step != self)
          conflicts_.push_back({reader.step, false, true, bytes, touch.window, segment.buffer});
    });
  }

  // --- Contents -----------------------------------------------------------------------------------------------------
  void checkReturned(const std::string &where, const PlanValue &value) {
    auto look = [&](const Touch &touch) {
      bool complained = false;
      footprint_.look(touch.stretch, [&](ByteRange bytes, const Segment &segment) {
        if (!complained)
          complained = !checkContent(where, touch, bytes, segment);
      });
    };
    forEachWindow(value, [&](const PlanWindow &window) { look({&window, places_.stretchOf(window), window.buffer}); });
    forEachSlot(value, [&](SlotId slot) { look({nullptr, places_.stretchOf(slot), numbers}); });
  }

  /// Returns true if the segment holds what was written under the buffer that is read.
  bool checkContent(const std::string &where, const Touch &touch, ByteRange bytes, const Segment &segment) {
    if (segment.buffer == touch.buffer)
      return true;
    std::string place = where.back() == ' ' ? where + plan_.steps[step_].name.str().str() : where;
    std::string what = touch.window ? placeText(touch, bytes) : "number " + std::to_string(touch.stretch.bytes.begin);
    if (segment.writer == absent)
      report_.add(place,
                  {"plan.unwritten", "reads " + what + ", which nothing has written; expected a step before that does",
                   "let a step write it first, or make it an input"});
    else
      report_.add(place, {"plan.overwritten",
                          "reads " + what + ", where " + writerText(segment.writer) + " has put " +
                              bufferText(plan_, segment.buffer) + " since; expected the bytes unchanged",
                          "place the two buffers on different bytes: the first is still in use"});
    return false;
  }

  std::string writerText(uint32_t writer) const { return writer == theCaller ? "the caller" : stepText(plan_, writer); }

  /// Returns "bytes 0 to 16 of 'x' (buffer 2)": the bytes of the buffer that are in the stretch of its space.
  std::string placeText(const Touch &touch, ByteRange bytes) const {
    int64_t base = places_.allOf(touch.buffer).bytes.begin;
    ByteRange within = {std::max(bytes.begin, touch.stretch.bytes.begin) - base,
                        std::min(bytes.end, touch.stretch.bytes.end) - base};
    return bytesText(within) + " of " + bufferText(plan_, touch.buffer);
  }

  // --- Order ------------------------------------------------------------------------------------------------
  void checkConflicts() {
    llvm::SmallVector<size_t, 4> told;
    for (const Conflict &conflict : conflicts_)
      if (clocks_.hasEnded(conflict.step))
        note(static_cast<uint32_t>(conflict.step));
      else if (!llvm::is_contained(told, conflict.step)) {
        told.push_back(conflict.step);
        report_.add(step_, unordered(conflict));
      }
  }

  void note(uint32_t earlier) {
    auto &needs = needs_[step_];
    auto *same =
        llvm::find_if(needs, [&](uint32_t other) { return plan_.steps[other].stream == plan_.steps[earlier].stream; });
    if (same == needs.end())
      needs.push_back(earlier);
    else
      *same = std::max(*same, earlier);
  }

  Finding unordered(const Conflict &conflict) const {
    const PlanStep &earlier = plan_.steps[conflict.step];
    bool isCollective = earlier.collective() != nullptr;
    std::string message = std::string(conflict.writes ? "writes " : "reads ") + conflictText(conflict) + " while " +
                          stepText(plan_, conflict.step) + " may still be " + (conflict.wrote ? "writing" : "reading") +
                          otherText(conflict) + "; expected it after the end of that " +
                          (isCollective ? "collective" : "step");
    std::string repair = earlier.event
                             ? "let it wait for event " + std::to_string(*earlier.event) + ", which that step records"
                             : "let that step record an event, and this one wait for it";
    return {isCollective ? "plan.in-flight" : "plan.order", std::move(message), std::move(repair)};
  }

  std::string conflictText(const Conflict &conflict) const {
    if (conflict.window)
      return placeText({conflict.window, places_.stretchOf(*conflict.window), conflict.window->buffer}, conflict.bytes);
    return conflict.buffer == numbers ? "number " + std::to_string(conflict.bytes.begin)
                                      : std::string("what no window shows (random numbers, or what the host sees)");
  }

  /// Returns " it", or the other buffer that shares the bytes.
  std::string otherText(const Conflict &conflict) const {
    bool other =
        conflict.window && conflict.buffer < plan_.buffers.size() && conflict.buffer != conflict.window->buffer;
    return other ? " " + bufferText(plan_, conflict.buffer) + " there" : " it";
  }

  // --- Waits ------------------------------------------------------------------------------------------------
  void checkWait(EventId event, const Clocks::Clock &without) {
    size_t recorder = clocks_.recorderOf(event);
    if (clocks_.knows(without, recorder))
      return idle(step_, event, recorder, ", which has ended by then anyway");
    // A barrier accesses nothing, but its purpose is to order.
    bool orders = isBarrier(plan_.steps[recorder]) || isBarrier(plan_.steps[step_]);
    bool needed = llvm::any_of(needs_[step_], [&](uint32_t step) { return !clocks_.knows(without, step); });
    if (!orders && !needed)
      doubts_.push_back({step_, event, recorder});
  }

  /// Resolves waits that the step itself does not need: a later step may need their order.
  void settleDoubts() {
    if (doubts_.empty())
      return;
    Clocks clocks(plan_);
    auto doubt = doubts_.begin();
    // A broken plan may have many, and each costs a traversal to the end, so the number of reports is limited.
    size_t idles = 0;
    for (size_t step = 0; step < plan_.steps.size() && doubt != doubts_.end() && idles < mostIdle; ++step) {
      for (; doubt != doubts_.end() && doubt->step == step; ++doubt)
        if (!isNeededLater(clocks, *doubt)) {
          idle(step, doubt->event, doubt->recorder, ", but nothing comes too early without");
          ++idles;
        }
      clocks.begin(step);
      clocks.end();
    }
  }

  bool isNeededLater(const Clocks &before, const Doubt &doubt) const {
    Clocks clocks = Clocks::fork(before);
    for (size_t step = doubt.step; step < plan_.steps.size(); ++step) {
      clocks.begin(step, step == doubt.step ? std::optional(doubt.event) : std::nullopt);
      if (llvm::any_of(needs_[step], [&](uint32_t earlier) { return !clocks.hasEnded(earlier); }))
        return true;
      clocks.end();
    }
    return false;
  }

  void idle(size_t step, EventId event, size_t recorder, const std::string &why) {
    report_.add(step, {"plan.waits",
                       "waits for event " + std::to_string(event) + " of " + stepText(plan_, recorder) + why +
                           "; expected no wait that orders nothing",
                       "drop the wait"});
  }

  Report &report_;
  const Plan &plan_;
  const Places &places_;
  Footprint footprint_;
  Clocks clocks_;
  std::vector<Conflict> conflicts_; ///< of the current step
  /// By step: for each stream the last step that it meets, if they are ordered.
  std::vector<llvm::SmallVector<uint32_t, 2>> needs_;
  std::vector<Doubt> doubts_;
  size_t step_ = 0;
};

} // namespace

void checkOrder(Report &report, const Places &places) { OrderRules(report, places).run(); }

} // namespace ccgraph::plan_verifier
