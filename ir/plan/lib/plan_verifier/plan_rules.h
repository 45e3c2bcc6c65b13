// Shared declarations of the families of plan rules: the report, and the places of windows.
//
// Each family visits the steps once and reports findings with the id of a rule of planVerifierRules(). The structure
// family runs first; the others rely on the indices, types and events that it has checked.
//
// Ownership: both classes refer to the plan and the layout. Failure: none. Cost: a finding costs its text; the place of
// a window, a few evaluations of sizes.
#pragma once

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/plan_verifier.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::plan_verifier {

struct Finding {
  llvm::StringRef rule;
  /// what was found, and what was expected
  std::string message;
  std::string repair;
};

class Report {
public:
  Report(const Plan &plan, size_t limit) : plan_(plan), found_(limit) {}

  [[nodiscard]] const Plan &plan() const { return plan_; }
  /// Adds a finding about a step.
  void add(size_t step, Finding finding);
  /// Adds any other finding.
  void add(const std::string &where, Finding finding);
  [[nodiscard]] bool any() const { return found_.hasErrors(); }
  [[nodiscard]] std::vector<Diagnostic> take() { return found_.take(); }

private:
  const Plan &plan_;
  Diagnostics found_;
};

/// Return "'relu' (step 3)", "'x' (buffer 2)", "'comm:tp' (stream 2)".
[[nodiscard]] std::string stepText(const Plan &plan, size_t step);
[[nodiscard]] std::string bufferText(const Plan &plan, BufferId buffer);
[[nodiscard]] std::string streamText(const Plan &plan, StreamId stream);
/// Returns "bytes 64 to 128", without the last.
[[nodiscard]] std::string bytesText(ByteRange range);

/// A range of one address space: an arena, the memory of one caller-owned or growing buffer, the numbers, or an effect
/// without window. Ranges of different spaces never overlap.
struct Stretch {
  size_t space = 0;
  ByteRange bytes;
  [[nodiscard]] bool empty() const { return bytes.begin >= bytes.end; }
  [[nodiscard]] bool overlaps(const Stretch &other) const {
    return space == other.space && bytes.begin < other.bytes.end && other.bytes.begin < bytes.end;
  }
};

/// The places of windows in one layout.
class Places {
public:
  Places(const Plan &plan, const PlanLayout &layout);

  [[nodiscard]] const PlanLayout &layout() const { return layout_; }
  [[nodiscard]] std::optional<int64_t> valueOf(const Dim &dim) const;
  /// Returns an empty value if one of the sizes has no value, or their product is too large.
  [[nodiscard]] std::optional<int64_t> elementsOf(const PlanWindow &window) const;
  /// Returns true for row-major without gaps; assumed if a size has no value.
  [[nodiscard]] bool isContiguous(const PlanWindow &window) const;
  /// Returns the range from the start of the buffer.
  [[nodiscard]] std::optional<ByteRange> rangeIn(const PlanWindow &window) const;
  /// Returns all of the buffer if the part is unknown.
  [[nodiscard]] Stretch stretchOf(const PlanWindow &window) const;
  [[nodiscard]] Stretch allOf(BufferId buffer) const;
  [[nodiscard]] Stretch stretchOf(SlotId slot) const;
  /// Returns the place of the i-th effect without window.
  [[nodiscard]] Stretch unseen(int64_t index) const;
  [[nodiscard]] size_t numSpaces() const { return plan_.buffers.size() + 4; }

private:
  [[nodiscard]] size_t spaceOf(BufferId buffer) const;
  [[nodiscard]] std::optional<IntList> valuesOf(llvm::ArrayRef<Dim> dims) const;

  const Plan &plan_;
  const PlanLayout &layout_;
  llvm::StringMap<int64_t> symbols_;
};

/// Returns the number of members of a group for the plan's rank; empty if unknown.
[[nodiscard]] std::optional<int64_t> groupSize(const Plan &plan, uint32_t group);

/// Returns a step's effects that no window shows, as indices for Places::unseen: random numbers, and effects visible to
/// the host.
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
