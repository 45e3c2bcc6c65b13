// EagerMode: the mode of an eager session: a call becomes a graph of a few nodes, which is run immediately.
//
// A tensor is a storage and the views that lead to it. A storage has a value for each rank, or is in flight: then it
// refers to its launch. An in-place operator gives a storage new values, which every tensor of that storage sees. The
// results of c10d's in-place launches arrive there later, at the first use. Values are shared and never changed, so a
// launch keeps its operands by keeping a pointer.
//
// Ownership: tensors share storages. Failure: failed tensors. Cost: a run a call.
#pragma once

#include "ccgraph/tracer/eager.h"
#include "tracer/recorder.h"

namespace ccgraph::tracer::detail {

using RankValues = std::shared_ptr<const std::vector<HostTensor>>;
struct EagerLaunch;

/// A view of the previous view or the storage; the first argument is left out.
struct EagerView {
  std::string target;
  std::vector<Operand> rest;
};

/// A pending copy into a storage.
struct EagerArrival {
  /// the destination, and its type
  std::vector<EagerView> views;
  const Type *type = nullptr;
  /// in flight, or complete since
  Tensor source;
};

/// The memory of a tensor, on all ranks.
struct EagerStorage {
  const Type *type = nullptr;
  /// null while in flight
  RankValues values;
  /// null after completion
  std::shared_ptr<EagerLaunch> launch;
  /// in their order, after the launch
  std::vector<EagerArrival> arrivals;
  [[nodiscard]] bool isInFlight() const { return launch || !arrivals.empty(); }
};

struct EagerValue {
  std::shared_ptr<EagerStorage> storage;
  std::vector<EagerView> views;
};

/// A value at one moment.
struct EagerSnapshot {
  const EagerStorage *storage = nullptr;
  const Type *type = nullptr;
  RankValues values;
  std::vector<EagerView> views;
};

/// A collective that was called and not yet waited for.
struct EagerLaunch {
  std::string target;
  std::vector<Operand> args;
  /// the tensors among the arguments, in their order
  std::vector<EagerSnapshot> operands;
  bool isList = false;
  /// the storages that it fills; expired where no tensor uses them any more
  std::vector<std::weak_ptr<EagerStorage>> results;
};

class EagerMode : public Mode {
public:
  EagerMode(Context &context, EagerOptions options);
  ~EagerMode() override;

  [[nodiscard]] Tensor call(const Call &call) override;
  [[nodiscard]] TensorList callList(const Call &call) override;
  [[nodiscard]] Tensor deferWait(const Tensor &inFlight) override { return inFlight; }
  [[nodiscard]] Tensor fail(Diagnostic why) override { return Tensor::failed(std::move(why)); }
  void warnOnce(Diagnostic warning) override;
  /// No graph outlives the answer, so nothing depends on it.
  void noteFact(Guard /*guard*/) override {}
  [[nodiscard]] GroupTable &groups() override { return groups_; }
  [[nodiscard]] std::optional<int64_t> worldSize() const override { return static_cast<int64_t>(ranks_); }
  [[nodiscard]] std::optional<int64_t> rank() const override { return std::nullopt; }
  [[nodiscard]] bool isOpen() const override { return open_; }

  void close();
  /// Has the effect of copy_, at the first use of `tensor`; values that do not fit are rejected immediately.
  [[nodiscard]] Tensor copyLater(const Tensor &tensor, const Tensor &inFlight);
  [[nodiscard]] Tensor tensor(const std::vector<HostTensor> &values);
  [[nodiscard]] llvm::Expected<std::vector<HostTensor>> valuesOf(const Tensor &tensor);
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const { return warnings_; }

private:
  /// One graph that is being built, with placeholders for storages.
  struct Program;
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> compute(const Call &call, bool isList);
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> runCall(const Call &call, bool isList);
  [[nodiscard]] static llvm::Error storeWritten(const Program &program, const Call &call,
                                                std::vector<TensorMap> &results);
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> newTensors(llvm::ArrayRef<const Type *> types,
                                                               std::vector<TensorMap> &results);
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> launch(const Call &call, bool isList);
  [[nodiscard]] llvm::Expected<std::vector<Tensor>> view(const Call &call, bool isList);
  /// Returns whether the result is a view of the first argument, by its schema or by its strides.
  [[nodiscard]] bool isView(const Call &call);
  [[nodiscard]] llvm::Error checkTensors(const Call &call) const;
  [[nodiscard]] llvm::Error complete(const std::shared_ptr<EagerStorage> &storage);
  [[nodiscard]] llvm::Error finish(const EagerLaunch &launch);
  [[nodiscard]] llvm::Error landOperands(const Call &call);
  [[nodiscard]] Tensor tensorOf(EagerValue value, const Type *type);
  [[nodiscard]] const Type *typeOf(const Type *inferred, const HostTensor &value) const;

  Context &context_;
  size_t ranks_;
  Execute execute_;
  GroupTable groups_;
  std::vector<Diagnostic> warnings_;
  bool open_ = true;
};

} // namespace ccgraph::tracer::detail
