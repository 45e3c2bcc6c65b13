#include "engine/rank_memory.h"

#include "ccgraph/ir/strides.h"
#include "process/thread_sanitizer.h"

#include "llvm/Support/MathExtras.h"

namespace ccgraph::runtime {
namespace {

bool isBrought(Home home) { return home == Home::Input || home == Home::Attribute; }

bool isStatic(llvm::ArrayRef<Dim> dims) {
  return llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(); });
}

int64_t aligned(int64_t bytes) {
  return static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), bufferAlignment));
}

/// The values, or empty and the first expression that has none.
struct Evaluated {
  IntList values;
  const SymExpr *unknown = nullptr;
};
Evaluated evaluate(llvm::ArrayRef<Dim> dims, const Symbols &symbols) {
  Evaluated result;
  for (const Dim &dim : dims) {
    std::optional<int64_t> value = dimValue(dim, symbols);
    if (!value)
      return {{}, dim.expr()};
    result.values.push_back(*value);
  }
  return result;
}

llvm::Expected<Window> windowOf(const PlanWindow &window, const Symbols &symbols, const StepPlace &place) {
  Evaluated sizes = evaluate(window.type->sizes(), symbols), strides = evaluate(window.type->strides(), symbols);
  Evaluated offset = evaluate(window.offset, symbols);
  for (const Evaluated *part : {&sizes, &strides, &offset})
    if (part->unknown)
      return place.error("run.unknown-symbol", ("needs " + part->unknown->text() + ", which has no value here").str(),
                         "some input or step must have the symbol as its value or as one of its sizes");
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(sizes.values, negative) || llvm::any_of(strides.values, negative) || negative(offset.values[0]))
    return place.error("run.plan", "has a window " + intListText(sizes.values) + intListText(strides.values) +
                                       " from element " + std::to_string(offset.values[0]) +
                                       ", expected no negative number");
  return Window{std::move(sizes.values), std::move(strides.values), offset.values[0]};
}

/// Bytes of its buffer up to the window's last.
int64_t endOf(const Window &window, DType dtype) {
  int64_t extent = extentOf(window.sizes, window.strides);
  return extent == 0 ? 0 : saturatingMultiply(saturatingAdd(window.offset, extent), sizeInBytes(dtype));
}

} // namespace

RankMemory::RankMemory(const Plan &plan, std::shared_ptr<LayoutCache> layouts, DeviceMemory *device)
    : plan_(&plan), layouts_(std::move(layouts)), storages_(plan.buffers.size()), offsets_(plan.buffers.size()),
      device_(device) {}

int64_t RankMemory::bytesNeeded(const Plan &plan) {
  int64_t bytes = saturatingAdd(plan.layout.computeBytes, plan.layout.communicationBytes);
  for (const PlanBuffer &buffer : plan.buffers)
    if (isBrought(buffer.home) && buffer.bytes.isStatic())
      bytes = saturatingAdd(bytes, buffer.bytes.value());
  return bytes;
}

bool RankMemory::updateSizes(const Symbols &symbols) {
  sizes_.resize(plan_->buffers.size());
  bool changed = false;
  for (BufferId buffer = 0; buffer < sizes_.size(); ++buffer) {
    std::optional<int64_t> size = isGrowing(buffer) ? std::nullopt : dimValue(plan_->buffers[buffer].bytes, symbols);
    changed |= size != sizes_[buffer];
    sizes_[buffer] = size;
  }
  return changed;
}

bool RankMemory::updateBinding(const Symbols &symbols) {
  size_t before = binding_.size(), known = 0;
  bool changed = false;
  binding_.resize(plan_->layout.symbols.size());
  for (const auto &[symbol, value] : plan_->layout.symbols) {
    auto found = symbols.find(symbol.str());
    if (found == symbols.end())
      break;
    changed |= known >= before || binding_[known] != found->second;
    binding_[known++] = found->second;
  }
  binding_.resize(known);
  return changed || known != before;
}

Arena &RankMemory::arenaOf(BufferId buffer) {
  Home home = plan_->buffers[buffer].home;
  return isBrought(home) ? brought_ : home == Home::Communication ? communication_ : compute_;
}

llvm::Error RankMemory::layOut(const Symbols &symbols, const StepPlace &place) {
  for (BufferId buffer = 0; buffer < storages_.size(); ++buffer)
    if (isGrowing(buffer))
      storages_[buffer] = nullptr;
  bool sizesChanged = updateSizes(symbols), bindingChanged = updateBinding(symbols);
  if (laidOut_ && !sizesChanged && !bindingChanged) {
    bringBack();
    return llvm::Error::success();
  }
  // If this fails, the recorded sizes no longer match the memory.
  laidOut_ = false;
  if (llvm::Error error = this->place(place))
    return error;
  for (BufferId buffer = 0; buffer < storages_.size(); ++buffer)
    if (!isGrowing(buffer) && !storages_[buffer]) {
      own_.push_back(std::make_unique<Storage>(0));
      storages_[buffer] = std::shared_ptr<Storage>(std::shared_ptr<void>(), own_.back().get());
    }
  laidOut_ = true;
  bringBack();
  return llvm::Error::success();
}

llvm::Error RankMemory::place(const StepPlace &place) {
  if (binding_.size() < plan_->layout.symbols.size()) {
    placeApart();
    return llvm::Error::success();
  }
  llvm::Expected<std::shared_ptr<const PlanLayout>> layout = layouts_->find(binding_);
  return layout ? placeAs(**layout, place) : layout.takeError();
}

llvm::Error RankMemory::placeAs(const PlanLayout &layout, const StepPlace &place) {
  int64_t brought = 0;
  for (BufferId buffer = 0; buffer < storages_.size(); ++buffer) {
    const PlanBuffer &described = plan_->buffers[buffer];
    int64_t bytes = sizes_[buffer].value_or(0);
    if (isBrought(described.home)) {
      offsets_[buffer] = brought;
      brought += aligned(bytes);
      continue;
    }
    offsets_[buffer] = buffer < layout.offsets.size() ? layout.offsets[buffer] : 0;
    int64_t room = described.home == Home::Communication ? layout.communicationBytes : layout.computeBytes;
    if (!isGrowing(buffer) && (offsets_[buffer] < 0 || saturatingAdd(offsets_[buffer], bytes) > room))
      return place.error("run.plan",
                         ("buffer `" + described.name.str() + "` of " + llvm::Twine(bytes) + " bytes lies from byte " +
                          llvm::Twine(offsets_[buffer]) + " on of an arena of " + llvm::Twine(room))
                             .str());
  }
  reserve(compute_, Home::Compute, layout.computeBytes);
  reserve(communication_, Home::Communication, layout.communicationBytes);
  reserve(brought_, Home::Input, brought);
  return llvm::Error::success();
}

void RankMemory::reserve(Arena &arena, Home home, int64_t bytes) const {
  if (arena.data() && arena.size() >= bytes)
    return;
  // Both are never needed together, so the old memory is freed first.
  arena = Arena();
  arena = device_ ? Arena(bytes, home, *device_) : Arena(bytes, arenaAlignment);
}

void RankMemory::placeApart() {
  llvm::DenseMap<const Arena *, int64_t> used;
  for (BufferId buffer = 0; buffer < storages_.size(); ++buffer) {
    if (isGrowing(buffer))
      continue;
    int64_t &end = used[&arenaOf(buffer)];
    offsets_[buffer] = end;
    end += aligned(sizes_[buffer].value_or(0));
  }
  reserve(compute_, Home::Compute, used[&compute_]);
  reserve(communication_, Home::Communication, used[&communication_]);
  reserve(brought_, Home::Input, used[&brought_]);
}

void RankMemory::bringBack() {
  for (BufferId buffer = 0; buffer < storages_.size(); ++buffer) {
    if (isGrowing(buffer))
      continue;
    std::byte *memory = arenaOf(buffer).data() + offsets_[buffer];
    if (storages_[buffer]->data() != memory || storages_[buffer]->size() != sizes_[buffer].value_or(0))
      storages_[buffer]->lookAt(memory, sizes_[buffer].value_or(0));
  }
}

bool RankMemory::isFixed(const PlanWindow &window) const {
  return !lending_ && !isGrowing(window.buffer) && plan_->buffers[window.buffer].bytes.isStatic() &&
         isStatic(window.type->sizes()) && isStatic(window.type->strides()) && window.offset.isStatic();
}

llvm::Expected<Tensor> RankMemory::tensorOf(const PlanWindow &window, const Symbols &symbols,
                                            const StepPlace &place) const {
  llvm::Expected<Window> evaluated = windowOf(window, symbols, place);
  if (!evaluated)
    return evaluated.takeError();
  const std::shared_ptr<Storage> &storage = storages_[window.buffer];
  DType dtype = window.type->dtype();
  int64_t end = endOf(*evaluated, dtype), room = storage ? storage->size() : 0;
  if (!storage || end > room)
    return place.error("run.plan", ("has a window up to byte " + llvm::Twine(end) + " of buffer `" +
                                    plan_->buffers[window.buffer].name.str() + "`, which has " +
                                    (storage ? llvm::Twine(room).str() + " bytes" : "no memory yet"))
                                       .str());
  return Tensor::over(storage, dtype, std::move(*evaluated));
}

llvm::Expected<Tensor> RankMemory::shapeOf(const PlanWindow &window, const Symbols &symbols,
                                           const StepPlace &place) const {
  // Code that reads sizes alone does not wait, and may find the buffer before it is made, or after it is freed.
  SharedByStreams storages;
  if (storages_[window.buffer])
    return tensorOf(window, symbols, place);
  llvm::Expected<Window> evaluated = windowOf(window, symbols, place);
  if (!evaluated)
    return evaluated.takeError();
  DType dtype = window.type->dtype();
  return Tensor::over(std::make_shared<Storage>(endOf(*evaluated, dtype)), dtype, std::move(*evaluated));
}

llvm::Error RankMemory::makeRoom(const PlanWindow &window, const Symbols &symbols, const StepPlace &place) {
  if (!isGrowing(window.buffer))
    return llvm::Error::success();
  llvm::Expected<Window> evaluated = windowOf(window, symbols, place);
  if (!evaluated)
    return evaluated.takeError();
  int64_t end = endOf(*evaluated, window.type->dtype());
  std::shared_ptr<Storage> &storage = storages_[window.buffer];
  if (!storage)
    storage = device_ && !lending_ ? onDevice(end) : std::make_shared<Storage>(end);
  else if (!device_ || lending_)
    storage->growTo(end);
  else if (storage->size() < end)
    return place.error("run.plan",
                       "needs " + std::to_string(end) + " bytes of a buffer that has got " +
                           std::to_string(storage->size()) +
                           ", which on a device grows no further, as steps that wait there have its address");
  return llvm::Error::success();
}

std::shared_ptr<Storage> RankMemory::onDevice(int64_t bytes) const {
  std::byte *memory = device_->allocate(Home::Growing, bytes);
  std::shared_ptr<Storage> storage(new Storage(0), [device = device_, memory](Storage *gone) {
    device->release(memory);
    delete gone; // NOLINT(cppcoreguidelines-owning-memory): made in the line before
  });
  storage->lookAt(memory, bytes);
  return storage;
}

} // namespace ccgraph::runtime
