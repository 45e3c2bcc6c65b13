// What the families of plan rules share: where they report, and where windows lie.
//
// Each family walks the steps once and reports findings with the id of a rule of planVerifierRules(). The family of
// structure comes first; the others rely on what it found whole: indices, types and events.
//
// Ownership: both classes refer to the plan and the layout. Failure: none. Cost: a finding costs its text; where a
// window lies, a few evaluations of sizes.
#pragma once

#include "ccgraph/ir/dims.h"
#include "ccgraph/ir/plan_verifier.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::plan_verifier {

struct Finding {
  llvm::StringRef rule;
  /// what is there, and what was expected
  std::string message;
  std::string repair;
};

class Report {
public:
  Report(const Plan &plan, size_t limit) : plan_(plan), found_(limit) {}

  [[nodiscard]] const Plan &plan() const { return plan_; }
  /// A finding about a step.
  void add(size_t step, Finding finding);
  /// A finding about anything else.
  void add(const std::string &where, Finding finding);
  [[nodiscard]] bool any() const { return found_.hasErrors(); }
  [[nodiscard]] std::vector<Diagnostic> take() { return found_.take(); }

private:
  const Plan &plan_;
  Diagnostics found_;
};

/// "'relu' (step 3)", "'x' (buffer 2)", "'comm:tp' (stream 2)".
[[nodiscard]] std::string stepText(const Plan &plan, size_t step);
[[nodiscard]] std::string bufferText(const Plan &plan, BufferId buffer);
[[nodiscard]] std::string streamText(const Plan &plan, StreamId stream);
/// "bytes 64 to 128", the last not included.
[[nodiscard]] std::string bytesText(ByteRange range);

/// A stretch of one address space: an arena, the memory of one caller's or growing buffer, the numbers, or what is
/// touched without any window. Stretches of different spaces never overlap.
struct Stretch {
  size_t space = 0;
  ByteRange bytes;
  [[nodiscard]] bool empty() const { return bytes.begin >= bytes.end; }
  [[nodiscard]] bool overlaps(const Stretch &other) const {
    return space == other.space && bytes.begin < other.bytes.end && other.bytes.begin < bytes.end;
  }
};

/// Where windows lie in one layout.
class Places {
public:
  Places(const Plan &plan, const PlanLayout &layout);

  [[nodiscard]] const PlanLayout &layout() const { return layout_; }
  [[nodiscard]] std::optional<int64_t> valueOf(const Dim &dim) const;
  /// Empty where one of the sizes has no value, or their product is too large.
  [[nodiscard]] std::optional<int64_t> elementsOf(const PlanWindow &window) const;
  /// Row-major without gaps; taken to be so where a size has no value.
  [[nodiscard]] bool isContiguous(const PlanWindow &window) const;
  /// Counted from the buffer's beginning.
  [[nodiscard]] std::optional<ByteRange> rangeIn(const PlanWindow &window) const;
  /// All of the buffer where it is not known which part.
  [[nodiscard]] Stretch stretchOf(const PlanWindow &window) const;
  [[nodiscard]] Stretch allOf(BufferId buffer) const;
  [[nodiscard]] Stretch stretchOf(SlotId slot) const;
  /// Of the i-th thing that is touched without a window.
  [[nodiscard]] Stretch unseen(int64_t index) const;
  [[nodiscard]] size_t numSpaces() const { return plan_.buffers.size() + 4; }

private:
  [[nodiscard]] size_t spaceOf(BufferId buffer) const;
  [[nodiscard]] std::optional<Dims> valuesOf(llvm::ArrayRef<Dim> dims) const;

  const Plan &plan_;
  const PlanLayout &layout_;
  llvm::StringMap<int64_t> symbols_;
};

/// Members of a group as the plan's rank sees it; empty where not known.
[[nodiscard]] std::optional<int64_t> groupSize(const Plan &plan, uint32_t group);

/// What a step does that no window shows, as indices for Places::unseen: random numbers, and what the host sees.
[[nodiscard]] llvm::SmallVector<int64_t, 2> unseenEffects(const PlanStep &step);

/// The families.
void checkStructure(Report &report, const PlanLayout &layout);
void checkStreams(Report &report);
void checkMemory(Report &report, const Places &places);
void checkOverlaps(Report &report, const Places &places);
void checkKernels(Report &report);
void checkCollectives(Report &report, const Places &places);
void checkOrder(Report &report, const Places &places);

} // namespace ccgraph::plan_verifier
