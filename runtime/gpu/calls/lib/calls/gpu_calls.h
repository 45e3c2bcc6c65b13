// GpuCalls: the calls of the nccl engine to a device and to its communication library, and nothing else.
//
// Two things stand behind it. One is the module that calls the vendor's libraries (runtime/gpu/nccl/module), the only
// place that names them. The other records the calls and executes them on the CPU (runtime/gpu/simulated): so the
// engine's host code, which decides all that can go wrong with streams, events and groups, is tested where there is no
// device.
//
// Work is enqueued to streams. A stream runs its work in order, and only events order streams. An event represents the
// work that its stream had received when it was recorded. Only query() and the calls of communicators show the host how
// far a device is. A *group* is an unordered batch of communication: none of its members may depend on another. While a
// stream is captured, its work is not run but becomes a device graph. The same holds for work of other streams once
// they wait for an event of it; an event must join them to it before the capture ends.
//
// Handles are the libraries' own, as numbers. Each function returns an error code, 0 on success.
//
// Ownership: everything created must be destroyed before the object; memory and work are borrowed until the device has
// finished with them. Failure: the code, which errorText() describes. One object serves one rank; calls come from one
// thread at a time. Cost: that of the function: an enqueued call takes a microsecond or a few.
#pragma once

#include "ccgraph/ir/collective.h"
#include "device/job.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ccgraph::runtime {

struct GpuStream {
  uintptr_t raw = 0;
};
struct GpuEvent {
  uintptr_t raw = 0;
};
struct GpuComm {
  uintptr_t raw = 0;
};
struct GpuGraph {
  uintptr_t raw = 0;
};
/// The registration of a buffer with a communicator.
struct GpuRegistration {
  uintptr_t raw = 0;
};

/// The identifier that all ranks of a communicator must receive from one of them.
using GpuJobId = std::array<std::byte, 128>;

/// Element types that communication has. Others are moved as bytes.
enum class GpuType : uint8_t { I8, U8, I32, U32, I64, U64, F16, BF16, F32, F64, F8E4M3, F8E5M2 };
enum class GpuReduceOp : uint8_t { Sum, Product, Max, Min, Avg };

/// One row of a collective, or one end of a transfer: `count` elements as documented at the function.
struct GpuRow {
  const std::byte *send = nullptr;
  std::byte *receive = nullptr;
  int64_t count = 0;
  GpuType type = GpuType::U8;
};
/// The communicator of a row, and the stream on which it is enqueued.
struct GpuCommStream {
  GpuComm comm;
  GpuStream stream;
};

enum class GpuCopy : uint8_t { ToDevice, ToHost, OnDevice };
enum class GpuPurpose : uint8_t {
  Inputs,
  Compute,
  /// what collectives send and fill
  Communication,
  Growing
};

/// Elements of one window, and of another of the same sizes: strides are in elements.
struct GpuElements {
  const std::byte *from = nullptr;
  std::byte *to = nullptr;
  int64_t elementSize = 1;
  llvm::ArrayRef<int64_t> sizes, fromStrides, toStrides;
};

/// Rows of several ranks, one after another, that become one: element by element, in the order of the ranks.
struct GpuGathered {
  const std::byte *rows = nullptr;
  /// from the beginning of one to that of the next
  int64_t rowBytes = 0;
  int64_t numRows = 0;
  std::byte *to = nullptr;
  int64_t elements = 0;
  DType dtype = DType::U8;
  ReduceOp op = ReduceOp::Sum;
};

/// Something that the host computes as if a stream did.
class GpuWork {
public:
  virtual ~GpuWork() = default;
  [[nodiscard]] virtual llvm::StringRef name() const = 0;
  /// Does it; once for each time that it was launched. False: it has failed.
  [[nodiscard]] virtual bool run() = 0;
  /// The reason of the last error; empty where the caller knows it.
  [[nodiscard]] virtual std::string why() const { return {}; }
};

class GpuCalls {
public:
  /// Version of the module and of its loader: both must be of one build.
  static constexpr int version = 4;

  virtual ~GpuCalls() = default;
  [[nodiscard]] virtual std::string errorText(int code) const = 0;
  /// Returns the rule of engine.h to which the error belongs.
  [[nodiscard]] virtual std::string ruleOf(int) const { return "run.nccl"; }
  /// There is no device behind it: streams are no streams of a library.
  [[nodiscard]] virtual bool isSimulated() const { return false; }
  /// Returns the time of a simulated device, in nanoseconds since 1970; empty for a real device, since the clock of its
  /// host counts.
  [[nodiscard]] virtual std::optional<int64_t> simulatedClock() const { return std::nullopt; }

  // --- Memory -----------------------------------------------------------------------------------------
  /// Aligned to arenaAlignment.
  virtual int allocate(GpuPurpose purpose, int64_t bytes, std::byte *&memory) = 0;
  virtual int release(std::byte *memory) = 0;

  // --- Streams and events -----------------------------------------------------------------------------
  virtual int createStream(const std::string &name, GpuStream &stream) = 0;
  virtual int destroyStream(GpuStream stream) = 0;
  virtual int createEvent(const std::string &name, GpuEvent &event) = 0;
  virtual int destroyEvent(GpuEvent event) = 0;
  virtual int record(GpuEvent event, GpuStream stream) = 0;
  /// Later work of the stream begins after the work that the event represents.
  virtual int wait(GpuStream stream, GpuEvent event) = 0;
  /// Queries whether the work that the event represents has ended.
  virtual int query(GpuEvent event, bool &ended) = 0;

  // --- Times ------------------------------------------------------------------------------------------
  /// An event that takes the time when its stream gets there, by the device's own clock. It orders nothing.
  virtual int createTimer(const std::string &name, GpuEvent &timer) = 0;
  /// On a stream that is captured it becomes part of the graph, and each launch takes the time anew.
  virtual int takeTime(GpuEvent timer, GpuStream stream) = 0;
  /// Returns the nanoseconds between two recorded events; query() shows whether they are.
  virtual int elapsed(GpuEvent from, GpuEvent to, int64_t &nanoseconds) = 0;

  // --- Work -------------------------------------------------------------------------------------------
  virtual int copy(GpuCopy way, std::byte *to, const std::byte *from, int64_t bytes, GpuStream stream) = 0;
  /// On the device. Sizes and strides are looked at now.
  virtual int copyElements(const GpuElements &elements, GpuStream stream) = 0;
  /// Reduces rows that the communication library cannot add.
  virtual int reduceRows(const GpuGathered &rows, GpuStream stream) = 0;
  /// One job of a kernel. `name`: the operator's.
  virtual int compute(llvm::StringRef name, const device::Job &job, GpuStream stream) = 0;
  /// Enqueues a kernel of the host, which only a simulated device supports. `work` is held until the stream has
  /// finished with it; in a captured stream as long as the graph.
  virtual int launch(std::shared_ptr<GpuWork> work, GpuStream stream) = 0;

  // --- Communicators: each is a call of all of its ranks, in one order --------------------------------------
  virtual int makeJobId(GpuJobId &id) = 0;
  virtual int openJob(const GpuJobId &id, int ranks, int rank, GpuComm &comm) = 0;
  /// All ranks of the parent call it. Those of one color make a communicator, in the order of their keys; without a
  /// color a rank is in none.
  static constexpr int noColor = -1;
  virtual int split(GpuComm parent, int color, int key, GpuComm &comm) = 0;
  /// The number of ranks and the index of this rank, as the communicator itself counts them.
  virtual int placeIn(GpuComm comm, int &ranks, int &rank) = 0;
  virtual int closeComm(GpuComm comm) = 0;
  /// Aborts the work of this rank alone.
  virtual int abortComm(GpuComm comm) = 0;
  /// Returns the code of an asynchronous error; 0: none.
  virtual int asyncError(GpuComm comm) = 0;
  /// All ranks of a communicator pass memory that is registered with it, or none does.
  virtual int registerMemory(GpuComm comm, std::byte *memory, int64_t bytes, GpuRegistration &registration) = 0;
  virtual int deregister(GpuComm comm, GpuRegistration registration) = 0;

  // --- Communication ----------------------------------------------------------------------------------
  virtual int groupStart() = 0;
  virtual int groupEnd() = 0;
  /// `count`: elements of the row.
  virtual int allReduce(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) = 0;
  /// `count`: elements that each rank receives.
  virtual int reduceScatter(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) = 0;
  /// `count`: elements that each rank sends.
  virtual int allGather(const GpuRow &row, GpuCommStream on) = 0;
  virtual int broadcast(const GpuRow &row, int root, GpuCommStream on) = 0;
  virtual int send(const GpuRow &row, int peer, GpuCommStream on) = 0;
  virtual int receive(const GpuRow &row, int peer, GpuCommStream on) = 0;

  // --- Capture ----------------------------------------------------------------------------------------
  virtual int beginCapture(GpuStream stream) = 0;
  /// Queries whether later work of the stream becomes part of a graph.
  virtual int isCaptured(GpuStream stream, bool &captured) = 0;
  /// Ready to be launched.
  virtual int endCapture(GpuStream stream, GpuGraph &graph) = 0;
  virtual int launchGraph(GpuGraph graph, GpuStream stream) = 0;
  virtual int destroyGraph(GpuGraph graph) = 0;
};

} // namespace ccgraph::runtime
