// RankMemory: where the buffers of one rank's plan are.
//
// Each buffer has one Storage, so windows onto one buffer alias as kernels expect. The layout for the current values of
// the symbols (layout_cache.h) places the buffers of the arenas; before all symbols have a value, each buffer gets
// bytes of its own. An arena keeps the size of its largest layout, so a repeated binding allocates nothing. Buffers of
// inputs and attributes are this run's copies of the caller's values. A growing buffer has no memory until a step makes
// it.
//
// On a device (device_memory.h) all of this is device memory. While the host computes a step, the buffers of that step
// are host copies (lend()). On a device a step runs after it was issued, so its growing buffers get their memory in
// advance.
//
// Ownership: owns the arenas; tensors that it returns are valid as long as the object, until the next new layout.
// Failure: DiagnosticErrors of rule run.plan and run.unknown-symbol, and those of the cache; std::bad_alloc where
// memory runs out. Cost: layOut() is linear in the buffers, and at a new binding that of the cache; the rest
// O(dimensions).
#pragma once

#include "ccgraph/ir/plan.h"
#include "engine/arena.h"
#include "engine/layout_cache.h"
#include "engine/step_place.h"
#include "tensor/symbols.h"

namespace ccgraph::runtime {

class RankMemory {
public:
  /// `layouts`: of the plan, shared with others that run it. `device`: whose memory it is; null: the host's.
  RankMemory(const Plan &plan, std::shared_ptr<LayoutCache> layouts, DeviceMemory *device = nullptr);
  RankMemory(const RankMemory &) = delete;
  RankMemory &operator=(const RankMemory &) = delete;

  /// Returns the bytes of all arenas in the plan's own layout, and of the inputs whose sizes are known.
  [[nodiscard]] static int64_t bytesNeeded(const Plan &plan);
  /// Gives each buffer its bytes for these symbols, and forgets what growing ones had. Buffers of unknown size get
  /// theirs at the next call. `place`: the rank.
  [[nodiscard]] llvm::Error layOut(const Symbols &symbols, const StepPlace &place);

  /// Returns the window as a tensor. Fails where it has no memory, or lies outside its buffer.
  [[nodiscard]] llvm::Expected<Tensor> tensorOf(const PlanWindow &window, const Symbols &symbols,
                                                const StepPlace &place) const;
  /// Returns a tensor for code that reads sizes alone: where the buffer has no memory yet, or no longer, its elements
  /// are zeros.
  [[nodiscard]] llvm::Expected<Tensor> shapeOf(const PlanWindow &window, const Symbols &symbols,
                                               const StepPlace &place) const;
  /// tensorOf() gives the same tensor in every run.
  [[nodiscard]] bool isFixed(const PlanWindow &window) const;
  /// Returns the current arena of communication: its bytes and its beginning.
  [[nodiscard]] const Arena &communication() const { return communication_; }

  // --- Growing buffers -------------------------------------------------------------------------------
  [[nodiscard]] bool isGrowing(BufferId buffer) const { return isMadeInRun(plan_->buffers[buffer].home); }
  /// The buffer is this memory from now on.
  void adopt(BufferId buffer, std::shared_ptr<Storage> storage) { storages_[buffer] = std::move(storage); }
  /// Makes room for a window that is about to be written. Nothing where the buffer does not grow.
  [[nodiscard]] llvm::Error makeRoom(const PlanWindow &window, const Symbols &symbols, const StepPlace &place);
  /// Lets go of the memory.
  void release(BufferId buffer) { storages_[buffer] = nullptr; }
  /// The step that computes the buffer gives it its memory, not earlier.
  [[nodiscard]] bool growsAsComputed(BufferId buffer) const { return isGrowing(buffer) && (!device_ || lending_); }

  // --- On a device ----------------------------------------------------------------------------------------
  [[nodiscard]] DeviceMemory *device() const { return device_; }
  /// Between these two calls the host computes a step: no window is fixed, and lend() determines the buffers.
  void beginLending() { lending_ = true; }
  void endLending() { lending_ = false; }
  [[nodiscard]] const std::shared_ptr<Storage> &storageOf(BufferId buffer) const { return storages_[buffer]; }
  /// Replaces the memory of the buffer and returns the former one.
  std::shared_ptr<Storage> lend(BufferId buffer, std::shared_ptr<Storage> storage) {
    return std::exchange(storages_[buffer], std::move(storage));
  }
  /// New memory of the device, for a growing buffer.
  [[nodiscard]] std::shared_ptr<Storage> onDevice(int64_t bytes) const;

private:
  /// Evaluates all sizes; false where they are as they were.
  bool updateSizes(const Symbols &symbols);
  /// The values of the layout's symbols; false where they are as they were.
  bool updateBinding(const Symbols &symbols);
  [[nodiscard]] llvm::Error place(const StepPlace &place);
  void placeApart();
  [[nodiscard]] llvm::Error placeAs(const PlanLayout &layout, const StepPlace &place);
  /// Makes the arena at least this large; its content is lost if it had to grow.
  void reserve(Arena &arena, Home home, int64_t bytes) const;
  /// After a run in which a storage left its place for larger memory.
  void bringBack();
  Arena &arenaOf(BufferId buffer);

  const Plan *plan_;
  std::shared_ptr<LayoutCache> layouts_;
  /// Values by symbol of the plan's layout; shorter where the next symbol has no value.
  std::vector<int64_t> binding_;
  /// of buffers that do not grow
  std::vector<std::unique_ptr<Storage>> own_;
  /// by buffer; null for a growing one without memory. It does not own the memory of the others, so tensors need no
  /// reference counts.
  std::vector<std::shared_ptr<Storage>> storages_;
  /// by buffer; empty where not known yet, or growing
  std::vector<std::optional<int64_t>> sizes_;
  /// by buffer: bytes from the beginning of its arena
  std::vector<int64_t> offsets_;
  bool laidOut_ = false;
  DeviceMemory *device_;
  bool lending_ = false;
  Arena compute_, communication_, brought_;
};

} // namespace ccgraph::runtime
