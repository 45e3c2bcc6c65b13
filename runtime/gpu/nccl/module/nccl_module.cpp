// The module behind GpuCalls (gpu_calls.h) that calls the CUDA runtime and NCCL: with device_kernels.cu, the one place
// that names them. Loaded when the engine nccl is first asked for.
#include "calls/gpu_module.h"

#include "device_kernels.cuh"
#include "jobs.cuh"
#include "matmul.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>
#include <optional>
#include <vector>

namespace ccgraph::runtime {
namespace {

/// Error codes of all libraries in one number: those of NCCL are above those of CUDA, and those of cuBLAS above both.
constexpr int ncclCodes = 1 << 16, cublasCodes = 1 << 17;
int codeOf(cudaError_t error) { return static_cast<int>(error); }
int codeOf(ncclResult_t result) { return result == ncclSuccess ? 0 : ncclCodes + static_cast<int>(result); }
int codeOf(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? 0 : cublasCodes + static_cast<int>(status);
}

template <typename Raw, typename Handle>
Raw raw(Handle handle) {
  return reinterpret_cast<Raw>(handle.raw);
}
template <typename Handle, typename Raw>
void keep(Handle &handle, Raw made) {
  handle.raw = reinterpret_cast<uintptr_t>(made);
}
cudaStream_t streamOf(GpuStream stream) { return raw<cudaStream_t>(stream); }
ncclComm_t commOf(GpuComm comm) { return raw<ncclComm_t>(comm); }

ncclDataType_t typeOf(GpuType type) {
  constexpr ncclDataType_t types[] = {ncclInt8,    ncclUint8,   ncclInt32,      ncclUint32,
                                      ncclInt64,   ncclUint64,  ncclFloat16,    ncclBfloat16,
                                      ncclFloat32, ncclFloat64, ncclFloat8e4m3, ncclFloat8e5m2};
  return types[static_cast<size_t>(type)];
}
ncclRedOp_t opOf(GpuReduceOp reduction) {
  constexpr ncclRedOp_t ops[] = {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg};
  return ops[static_cast<size_t>(reduction)];
}

struct Integers {
  int bytes = 1;
  bool isSigned = false;
};
/// Returns the integer type that the device adds; nothing for other dtypes.
std::optional<Integers> integersOf(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::U8:
    return Integers{1, false};
  case DType::I8:
    return Integers{1, true};
  case DType::U16:
    return Integers{2, false};
  case DType::I16:
    return Integers{2, true};
  case DType::U32:
    return Integers{4, false};
  case DType::I32:
    return Integers{4, true};
  case DType::U64:
    return Integers{8, false};
  case DType::I64:
    return Integers{8, true};
  default: // NOLINT: all others are no integers
    return std::nullopt;
  }
}

/// The sum of bools is "or", and their product "and".
device::Reduction reductionOf(ReduceOp op, bool isBool) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return isBool ? device::Reduction::Or : device::Reduction::Sum;
  case ReduceOp::Product:
    return isBool ? device::Reduction::And : device::Reduction::Product;
  case ReduceOp::Min:
    return device::Reduction::Min;
  case ReduceOp::Max:
    return device::Reduction::Max;
  case ReduceOp::Band:
    return device::Reduction::And;
  case ReduceOp::Bor:
    return device::Reduction::Or;
  case ReduceOp::Bxor:
    return device::Reduction::Xor;
  }
  return device::Reduction::Sum;
}

/// Compares names, because numbers differ between versions of NCCL.
std::string nameOf(ncclResult_t result) {
  switch (result) {
  case ncclSuccess:
    return "ncclSuccess";
  case ncclUnhandledCudaError:
    return "ncclUnhandledCudaError";
  case ncclSystemError:
    return "ncclSystemError";
  case ncclInternalError:
    return "ncclInternalError";
  case ncclInvalidArgument:
    return "ncclInvalidArgument";
  case ncclInvalidUsage:
    return "ncclInvalidUsage";
  case ncclRemoteError:
    return "ncclRemoteError";
  case ncclInProgress:
    return "ncclInProgress";
  case ncclNumResults:
    break;
  }
  return "an error that this build does not know, " + std::to_string(static_cast<int>(result));
}

class Calls final : public GpuCalls {
public:
  [[nodiscard]] std::string errorText(int code) const override {
    if (code < ncclCodes) {
      auto error = static_cast<cudaError_t>(code);
      return std::string("CUDA says ") + cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
    }
    if (code >= cublasCodes)
      return std::string("cuBLAS says ") + cublasGetStatusString(static_cast<cublasStatus_t>(code - cublasCodes));
    auto result = static_cast<ncclResult_t>(code - ncclCodes);
    const char *last = ncclGetLastError(nullptr);
    return "NCCL says " + nameOf(result) + ", " + ncclGetErrorString(result) +
           (last && *last ? std::string(": ") + last : std::string());
  }

  // --- Memory -----------------------------------------------------------------------------------------
  int allocate(GpuPurpose purpose, int64_t bytes, std::byte *&memory) override {
    void *made = nullptr;
    // No address may be null, so an empty buffer has one byte.
    auto size = static_cast<size_t>(std::max<int64_t>(bytes, 1));
    // Buffers for communication are allocated where NCCL can register them.
    bool communicates = purpose == GpuPurpose::Communication;
    int code = communicates ? codeOf(ncclMemAlloc(&made, size)) : codeOf(cudaMalloc(&made, size));
    memory = static_cast<std::byte *>(made);
    if (code == 0 && communicates)
      communication_.push_back(memory);
    return code;
  }
  int release(std::byte *memory) override {
    auto known = std::find(communication_.begin(), communication_.end(), memory);
    if (known == communication_.end())
      return codeOf(cudaFree(memory));
    communication_.erase(known);
    return codeOf(ncclMemFree(memory));
  }

  // --- Streams and events -----------------------------------------------------------------------------
  int createStream(const std::string &, GpuStream &stream) override {
    cudaStream_t made = nullptr;
    int code = codeOf(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    keep(stream, made);
    return code;
  }
  int destroyStream(GpuStream stream) override { return codeOf(cudaStreamDestroy(streamOf(stream))); }
  int createEvent(const std::string &, GpuEvent &event) override {
    cudaEvent_t made = nullptr;
    int code = codeOf(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    keep(event, made);
    return code;
  }
  int destroyEvent(GpuEvent event) override { return codeOf(cudaEventDestroy(raw<cudaEvent_t>(event))); }
  int record(GpuEvent event, GpuStream stream) override {
    return codeOf(cudaEventRecord(raw<cudaEvent_t>(event), streamOf(stream)));
  }
  int wait(GpuStream stream, GpuEvent event) override {
    return codeOf(cudaStreamWaitEvent(streamOf(stream), raw<cudaEvent_t>(event), 0));
  }
  int query(GpuEvent event, bool &ended) override {
    cudaError_t error = cudaEventQuery(raw<cudaEvent_t>(event));
    ended = error == cudaSuccess;
    return error == cudaErrorNotReady ? 0 : codeOf(error);
  }

  // --- Times ------------------------------------------------------------------------------------------
  int createTimer(const std::string &, GpuEvent &timer) override {
    cudaEvent_t made = nullptr;
    int code = codeOf(cudaEventCreateWithFlags(&made, cudaEventDefault));
    keep(timer, made);
    return code;
  }
  // Captured, an event is a node of the graph only by cudaEventRecordExternal, which is invalid outside a capture (CUDA
  // Runtime API, Event Management, cudaEventRecordWithFlags; cuda.h of CUDA 13.0, CU_EVENT_RECORD_EXTERNAL). Times of
  // events so recorded are those of the last launch: PyTorch's test_graph_timing checks this
  // (github.com/pytorch/pytorch, pull request 155372).
  int takeTime(GpuEvent timer, GpuStream stream) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (int code = codeOf(cudaStreamIsCapturing(streamOf(stream), &status)))
      return code;
    bool captured = status == cudaStreamCaptureStatusActive;
    return codeOf(cudaEventRecordWithFlags(raw<cudaEvent_t>(timer), streamOf(stream),
                                           captured ? cudaEventRecordExternal : cudaEventRecordDefault));
  }
  int elapsed(GpuEvent from, GpuEvent to, int64_t &nanoseconds) override {
    float milliseconds = 0;
    int code = codeOf(cudaEventElapsedTime(&milliseconds, raw<cudaEvent_t>(from), raw<cudaEvent_t>(to)));
    nanoseconds = std::llround(static_cast<double>(milliseconds) * 1e6);
    return code;
  }

  // --- Work -------------------------------------------------------------------------------------------
  int copy(GpuCopy way, std::byte *to, const std::byte *from, int64_t bytes, GpuStream stream) override {
    constexpr cudaMemcpyKind ways[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
    return codeOf(
        cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), ways[static_cast<size_t>(way)], streamOf(stream)));
  }
  int copyElements(const GpuElements &elements, GpuStream stream) override {
    if (elements.sizes.size() > device::mostCopyDimensions)
      return codeOf(cudaErrorInvalidValue);
    device::Elements copied{elements.from, elements.to, elements.elementSize, 1};
    copied.dimensions = static_cast<int>(elements.sizes.size());
    for (size_t i = 0; i < elements.sizes.size(); ++i) {
      copied.sizes[i] = elements.sizes[i];
      copied.fromStrides[i] = elements.fromStrides[i];
      copied.toStrides[i] = elements.toStrides[i];
      copied.count *= elements.sizes[i];
    }
    return codeOf(device::copyElements(copied, streamOf(stream)));
  }
  int reduceRows(const GpuGathered &rows, GpuStream stream) override {
    std::optional<Integers> integers = integersOf(rows.dtype);
    if (!integers)
      return codeOf(cudaErrorNotSupported);
    bool isBool = rows.dtype == DType::Bool;
    return codeOf(device::reduceRows({rows.rows, rows.rowBytes, rows.numRows, rows.to, rows.elements, integers->bytes,
                                      integers->isSigned, reductionOf(rows.op, isBool), rows.op == ReduceOp::Avg},
                                     streamOf(stream)));
  }
  int compute(llvm::StringRef, const device::Job &job, GpuStream stream) override {
    if (const auto *product = std::get_if<device::MatmulJob>(&job))
      if (std::optional<device::GemmCall> call = device::gemmCallOf(*product)) {
        cublasStatus_t status = device::multiply(*call, streamOf(stream));
        // With a bias the library may have no algorithm for a layout; our own kernel supports all of them.
        if (status != CUBLAS_STATUS_NOT_SUPPORTED || !call->bias)
          return codeOf(status);
      }
    return codeOf(device::launch(job, streamOf(stream)));
  }
  /// The host cannot access the device's memory; the engine has rejected such a plan.
  int launch(std::shared_ptr<GpuWork>, GpuStream) override { return codeOf(cudaErrorNotSupported); }

  // --- Communicators ----------------------------------------------------------------------------------
  int makeJobId(GpuJobId &id) override {
    static_assert(sizeof(ncclUniqueId) <= sizeof(GpuJobId));
    ncclUniqueId made;
    int code = codeOf(ncclGetUniqueId(&made));
    std::memcpy(id.data(), &made, sizeof(made));
    return code;
  }
  int openJob(const GpuJobId &id, int ranks, int rank, GpuComm &comm) override {
    // Only that order is safe where a device has several communicators, and it is off by default.
    setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", 0);
    ncclUniqueId given;
    std::memcpy(&given, id.data(), sizeof(given));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t made = nullptr;
    int code = codeOf(ncclCommInitRankConfig(&made, ranks, given, rank, &config));
    keep(comm, made);
    return code;
  }
  int split(GpuComm parent, int color, int key, GpuComm &comm) override {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.splitShare = 1;
    ncclComm_t made = nullptr;
    int code =
        codeOf(ncclCommSplit(commOf(parent), color == noColor ? NCCL_SPLIT_NOCOLOR : color, key, &made, &config));
    keep(comm, made);
    return code;
  }
  int placeIn(GpuComm comm, int &ranks, int &rank) override {
    int code = codeOf(ncclCommCount(commOf(comm), &ranks));
    return code ? code : codeOf(ncclCommUserRank(commOf(comm), &rank));
  }
  int closeComm(GpuComm comm) override {
    int code = codeOf(ncclCommFinalize(commOf(comm)));
    int closed = codeOf(ncclCommDestroy(commOf(comm)));
    return code ? code : closed;
  }
  int abortComm(GpuComm comm) override { return codeOf(ncclCommAbort(commOf(comm))); }
  int asyncError(GpuComm comm) override {
    ncclResult_t result = ncclSuccess;
    int code = codeOf(ncclCommGetAsyncError(commOf(comm), &result));
    return code ? code : result == ncclInProgress ? 0 : codeOf(result);
  }
  int registerMemory(GpuComm comm, std::byte *memory, int64_t bytes, GpuRegistration &registration) override {
    void *handle = nullptr;
    int code = codeOf(ncclCommRegister(commOf(comm), memory, static_cast<size_t>(bytes), &handle));
    keep(registration, handle);
    return code;
  }
  int deregister(GpuComm comm, GpuRegistration registration) override {
    return codeOf(ncclCommDeregister(commOf(comm), raw<void *>(registration)));
  }

  // --- Communication ----------------------------------------------------------------------------------
  int groupStart() override { return codeOf(ncclGroupStart()); }
  int groupEnd() override { return codeOf(ncclGroupEnd()); }
  int allReduce(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) override {
    return codeOf(ncclAllReduce(row.send, row.receive, countOf(row), typeOf(row.type), opOf(reduction), commOf(on.comm),
                                streamOf(on.stream)));
  }
  int reduceScatter(const GpuRow &row, GpuReduceOp reduction, GpuCommStream on) override {
    return codeOf(ncclReduceScatter(row.send, row.receive, countOf(row), typeOf(row.type), opOf(reduction),
                                    commOf(on.comm), streamOf(on.stream)));
  }
  int allGather(const GpuRow &row, GpuCommStream on) override {
    return codeOf(
        ncclAllGather(row.send, row.receive, countOf(row), typeOf(row.type), commOf(on.comm), streamOf(on.stream)));
  }
  int broadcast(const GpuRow &row, int root, GpuCommStream on) override {
    return codeOf(ncclBroadcast(row.send, row.receive, countOf(row), typeOf(row.type), root, commOf(on.comm),
                                streamOf(on.stream)));
  }
  int send(const GpuRow &row, int peer, GpuCommStream on) override {
    return codeOf(ncclSend(row.send, countOf(row), typeOf(row.type), peer, commOf(on.comm), streamOf(on.stream)));
  }
  int receive(const GpuRow &row, int peer, GpuCommStream on) override {
    return codeOf(ncclRecv(row.receive, countOf(row), typeOf(row.type), peer, commOf(on.comm), streamOf(on.stream)));
  }

  // --- Capture ----------------------------------------------------------------------------------------
  int beginCapture(GpuStream stream) override {
    // Captures this thread alone, because other threads of the process are independent of it.
    return codeOf(cudaStreamBeginCapture(streamOf(stream), cudaStreamCaptureModeThreadLocal));
  }
  int isCaptured(GpuStream stream, bool &captured) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    int code = codeOf(cudaStreamIsCapturing(streamOf(stream), &status));
    captured = status != cudaStreamCaptureStatusNone;
    return code;
  }
  int endCapture(GpuStream stream, GpuGraph &graph) override {
    cudaGraph_t captured = nullptr;
    if (int code = codeOf(cudaStreamEndCapture(streamOf(stream), &captured)))
      return code;
    cudaGraphExec_t ready = nullptr;
    int code = codeOf(cudaGraphInstantiate(&ready, captured, 0));
    cudaGraphDestroy(captured);
    keep(graph, ready);
    return code;
  }
  int launchGraph(GpuGraph graph, GpuStream stream) override {
    return codeOf(cudaGraphLaunch(raw<cudaGraphExec_t>(graph), streamOf(stream)));
  }
  int destroyGraph(GpuGraph graph) override { return codeOf(cudaGraphExecDestroy(raw<cudaGraphExec_t>(graph))); }

private:
  static size_t countOf(const GpuRow &row) { return static_cast<size_t>(row.count); }
  /// what NCCL has allocated, and is to free
  std::vector<std::byte *> communication_;
};

// --- What is there ------------------------------------------------------------------------------------------

GpuPlace look() {
  GpuPlace place;
  if (cudaDriverGetVersion(&place.driver) != cudaSuccess)
    place.driver = 0;
  place.toolkit = CUDART_VERSION;
  cudaError_t error = cudaGetDeviceCount(&place.devices);
  if (error != cudaSuccess) {
    place.devices = 0;
    place.why = std::string(cudaGetErrorName(error)) + ", " + cudaGetErrorString(error);
  }
  (void)ncclGetVersion(&place.library);
  place.builtFor = NCCL_VERSION_CODE;
  return place;
}

class Module final : public GpuModule {
public:
  [[nodiscard]] GpuPlace place() override { return look(); }
  int use(int device) override { return codeOf(cudaSetDevice(device)); }
  [[nodiscard]] GpuCalls &calls() override { return calls_; }

private:
  Calls calls_;
};

} // namespace
} // namespace ccgraph::runtime

extern "C" __attribute__((visibility("default"))) ccgraph::runtime::GpuModule *ccgraphGpuModule(int version) {
  static ccgraph::runtime::Module module;
  return version == ccgraph::runtime::GpuCalls::version ? &module : nullptr;
}
