// ProcessGroup: the collectives and transfers of a list of ranks, which a program calls itself.
//
//   ProcessGroup &world = job->world();
//   llvm::Expected<WorkPtr> work = world.allReduce(gradient, ReduceOp::Avg);   // in flight
//   if (llvm::Error error = finish(std::move(work)))                           // waits
//     return error;
//
// The meaning, the checks and the key words of the errors are those of torch.distributed 2.15. Collectives match by
// their order: the k-th of a group on one rank with the k-th on every other. Values are those of the interpreter: a
// reduction is computed in the order of the group (collectives/reduce.h).
//
// A rank that is not a member has the group too. Its calls do nothing: they return a null work, and warn once for each
// operation ("Running all_reduce on global rank 1 which does not belong to the given group."); send() is an error.
//
// Ranks in arguments are ranks within the group. Tensors are in the memory of the host, and may be strided; a backend
// of another device copies them there and back. With the configuration "cpu:local,cuda:nccl", a call is one of `local`
// unless its options have the device "cuda".
//
// Ownership: a job owns its groups. One thread at a time. Failure: DiagnosticErrors of these rules; after one of the
// run.* rules, the group is over: every further call returns that error.
//   group.dtype           tensors of different dtypes, or a reduction that a dtype does not have
//   group.argument        lists, sizes, splits, roots or peers that do not fit
//   group.unsupported     the backend does not have the operation, or no backend serves the device
//   run.ranks-disagree    ranks call different collectives, or give different dtypes or counts
//   run.deadline          a rank did not come in time; the message names it
//   run.rank-lost         a rank has left the group before it called the collective; the message names it
// Cost: that of the backend, plus checks linear in the number of tensors. With DebugLevel::Detail, each collective also
// compares its fingerprint through the store, which takes some round trips.
#pragma once

#include "ccgraph/ir/flight_record.h"
#include "ccgraph/runtime/backend.h"

#include <set>

namespace ccgraph::runtime {

/// How much a job checks and records. Detail compares the fingerprints of all ranks before each collective.
enum class DebugLevel : uint8_t { Off, Info, Detail };
/// "OFF", "INFO", "DETAIL" in any case. Fails for other texts: "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO,
/// or DETAIL."
[[nodiscard]] llvm::Expected<DebugLevel> parseDebugLevel(llvm::StringRef text);
[[nodiscard]] llvm::StringRef debugLevelName(DebugLevel level);

/// Waits for the work, if there is one: the synchronous form of a call.
[[nodiscard]] llvm::Error finish(llvm::Expected<WorkPtr> work);

struct CallOptions {
  /// without it, that of the group
  std::optional<std::chrono::milliseconds> timeout = {};
  /// The type of device whose backend makes the call.
  std::string device = "cpu";
};
struct TransferOptions {
  int64_t tag = 0;
  std::optional<std::chrono::milliseconds> timeout = {};
  std::string device = "cpu";
};
/// AllToAllSingle: rows of dimension 0 for and from each member; empty: equal parts.
struct Splits {
  std::vector<int64_t> outputs;
  std::vector<int64_t> inputs;
};
/// One transfer of a batch: op is Send or Recv.
struct Transfer {
  GroupOp op = GroupOp::Send;
  Tensor tensor;
  int64_t peer = 0;
  int64_t tag = 0;
};
struct MonitoredBarrierOptions {
  std::optional<std::chrono::milliseconds> timeout = {};
  /// names all ranks that do not come, and not only the first
  bool waitAllRanks = false;
};

class GroupRecorder;
class RecordingBackend;
struct CallForm;

class ProcessGroup {
public:
  /// What the groups of one job share.
  struct Job {
    /// of this process or thread
    int64_t rank = 0;
    std::optional<int64_t> localRank;
    std::function<void(std::string warning)> warn;
    std::shared_ptr<GroupRecorder> recorder;
    DebugLevel debug = DebugLevel::Off;
  };
  struct Setup {
    std::string name;
    std::string description = "undefined";
    /// global ranks, in the group's order
    std::vector<int64_t> members;
    std::chrono::milliseconds timeout{};
    BackendConfig config;
    /// of this group
    std::shared_ptr<Store> store;
    Job job;
  };
  /// Creates the backends, on members. All members must make the same groups.
  [[nodiscard]] static llvm::Expected<std::unique_ptr<ProcessGroup>> make(Setup setup);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup &) = delete;
  ProcessGroup &operator=(const ProcessGroup &) = delete;

  /// "0" for the world.
  [[nodiscard]] const std::string &name() const { return setup_.name; }
  [[nodiscard]] const std::string &description() const { return setup_.description; }
  [[nodiscard]] llvm::ArrayRef<int64_t> members() const { return setup_.members; }
  [[nodiscard]] bool isMember() const { return rank_ >= 0; }
  /// Within the group; -1 on a rank that is not a member.
  [[nodiscard]] int64_t rank() const { return rank_; }
  /// -1 on a rank that is not a member.
  [[nodiscard]] int64_t size() const { return isMember() ? numMembers() : -1; }
  [[nodiscard]] int64_t numMembers() const { return static_cast<int64_t>(setup_.members.size()); }
  [[nodiscard]] const BackendConfig &config() const { return setup_.config; }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return setup_.timeout; }
  /// The number of collectives, and of ends of transfers, that this rank has called: 0 at first. As in c10d, a
  /// reduceScatter() of a list counts once for each member, and a monitored barrier twice for each other rank on rank
  /// 0, twice elsewhere. A call that fails because its dtype lacks the reduction counts, and others that fail do not.
  [[nodiscard]] int64_t sequence() const { return sequence_; }

  // --- Collectives: called by all members, in one order ----------------------------------------------------------
  // With n members, tensor t of member m, and chunk j the j-th of n equal parts:
  //
  /// all: t = t_0 op t_1 op ... op t_n-1
  [[nodiscard]] llvm::Expected<WorkPtr> allReduce(const Tensor &tensor, Reduction reduction = ReduceOp::Sum,
                                                  CallOptions options = {});
  /// The same for each tensor of a list; all have one dtype.
  [[nodiscard]] llvm::Expected<WorkPtr>
  allReduceCoalesced(std::vector<Tensor> tensors, Reduction reduction = ReduceOp::Sum, CallOptions options = {});
  /// root: t = t_0 op ... op t_n-1; the tensors of other members stay as they are.
  [[nodiscard]] llvm::Expected<WorkPtr> reduce(const Tensor &tensor, int64_t root, Reduction reduction = ReduceOp::Sum,
                                               CallOptions options = {});
  /// all: t = t_root
  [[nodiscard]] llvm::Expected<WorkPtr> broadcast(const Tensor &tensor, int64_t root, CallOptions options = {});
  /// all: outputs[m] = t_m
  [[nodiscard]] llvm::Expected<WorkPtr> allGather(std::vector<Tensor> outputs, const Tensor &input,
                                                  CallOptions options = {});
  /// all: output = t_0 ++ t_1 ++ ... ++ t_n-1, along dimension 0 or a new dimension 0
  [[nodiscard]] llvm::Expected<WorkPtr> allGatherIntoTensor(const Tensor &output, const Tensor &input,
                                                            CallOptions options = {});
  /// all: outputs[m][i] = inputs[i] of m
  [[nodiscard]] llvm::Expected<WorkPtr> allGatherCoalesced(const std::vector<std::vector<Tensor>> &outputs,
                                                           std::vector<Tensor> inputs, CallOptions options = {});
  [[nodiscard]] llvm::Expected<WorkPtr>
  allGatherIntoTensorCoalesced(std::vector<Tensor> outputs, std::vector<Tensor> inputs, CallOptions options = {});
  /// root: outputs[m] = t_m; `outputs` is empty on other members.
  [[nodiscard]] llvm::Expected<WorkPtr> gather(std::vector<Tensor> outputs, const Tensor &input, int64_t root,
                                               CallOptions options = {});
  /// m: output = inputs[m] of root; `inputs` is empty on other members.
  [[nodiscard]] llvm::Expected<WorkPtr> scatter(const Tensor &output, std::vector<Tensor> inputs, int64_t root,
                                                CallOptions options = {});
  /// m: output = inputs[m] of 0 op ... op inputs[m] of n-1
  [[nodiscard]] llvm::Expected<WorkPtr> reduceScatter(const Tensor &output, std::vector<Tensor> inputs,
                                                      Reduction reduction = ReduceOp::Sum, CallOptions options = {});
  /// m: output = chunk m of (t_0 op ... op t_n-1)
  [[nodiscard]] llvm::Expected<WorkPtr> reduceScatterTensor(const Tensor &output, const Tensor &input,
                                                            Reduction reduction = ReduceOp::Sum,
                                                            CallOptions options = {});
  [[nodiscard]] llvm::Expected<WorkPtr> reduceScatterTensorCoalesced(std::vector<Tensor> outputs,
                                                                     std::vector<Tensor> inputs,
                                                                     Reduction reduction = ReduceOp::Sum,
                                                                     CallOptions options = {});
  /// m: outputs[k] = inputs[m] of k
  [[nodiscard]] llvm::Expected<WorkPtr> allToAll(std::vector<Tensor> outputs, std::vector<Tensor> inputs,
                                                 CallOptions options = {});
  /// The same for the parts of one tensor along dimension 0.
  [[nodiscard]] llvm::Expected<WorkPtr> allToAllSingle(const Tensor &output, const Tensor &input, Splits splits = {},
                                                       CallOptions options = {});
  [[nodiscard]] llvm::Expected<WorkPtr> barrier(CallOptions options = {});
  /// A barrier that reports which ranks did not come: rank 0 of the group waits for each other one. On failure, the
  /// group remains usable only if all ranks know. Needs a backend that serves the cpu.
  [[nodiscard]] llvm::Error monitoredBarrier(MonitoredBarrierOptions options = {});

  // --- Transfers: a send matches the oldest receive of its two ends and its tag -----------------------------------
  [[nodiscard]] llvm::Expected<WorkPtr> send(const Tensor &tensor, int64_t peer, TransferOptions options = {});
  [[nodiscard]] llvm::Expected<WorkPtr> recv(const Tensor &tensor, int64_t peer, TransferOptions options = {});
  /// Receives from the member that sends first.
  [[nodiscard]] llvm::Expected<WorkPtr> recvAnySource(const Tensor &tensor, TransferOptions options = {});
  /// Begins all transfers, so their order on the two ends may differ.
  [[nodiscard]] llvm::Expected<std::vector<WorkPtr>> batch(const std::vector<Transfer> &transfers,
                                                           CallOptions options = {});

private:
  explicit ProcessGroup(Setup setup);
  [[nodiscard]] llvm::Error createBackends();
  /// The backend of a type of device; `recording`: the same where it records its calls.
  struct Serving {
    std::string device;
    std::shared_ptr<Backend> backend;
    RecordingBackend *recording = nullptr;
  };
  [[nodiscard]] llvm::Expected<WorkPtr> issue(GroupCall &&call, const CallOptions &options);
  [[nodiscard]] llvm::Error check(const GroupCall &call);
  void count(GroupOp op);
  [[nodiscard]] llvm::Expected<WorkPtr> launch(const Serving &serving, GroupCall &&call);
  void warnOutside(llvm::StringRef operation);
  [[nodiscard]] llvm::Error compareWithOthers(const GroupCall &call);
  [[nodiscard]] llvm::Error awaitOthers(int64_t number, std::chrono::milliseconds timeout, bool all);
  [[nodiscard]] llvm::Error awaitRankZero(int64_t number, std::chrono::milliseconds timeout);

  Setup setup_;
  /// as records name it
  FlightGroup flightGroup_;
  int64_t rank_ = -1;
  int64_t sequence_ = 0;
  int64_t monitored_ = 0;
  int64_t compared_ = 0;
  std::vector<Serving> backends_;
  /// the form of the last valid call; null where it had none
  std::unique_ptr<CallForm> checked_;
  /// its place in the records, from its first call
  std::optional<size_t> recordedGroup_;
  /// operations for which a rank outside has been warned
  std::set<std::string> warned_;
};

} // namespace ccgraph::runtime
