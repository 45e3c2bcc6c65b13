#include "by_hand.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>
#include <thread>

namespace ccgraph::bench {
namespace {

[[noreturn]] void end(const char *doing, const char *why) {
  std::fprintf(stderr, "ccgraph_nccl_bench: %s: %s\n", doing, why);
  std::exit(1);
}
void check(cudaError_t error, const char *doing) {
  if (error != cudaSuccess)
    end(doing, cudaGetErrorString(error));
}
void check(ncclResult_t result, const char *doing) {
  if (result != ncclSuccess)
    end(doing, ncclGetLastError(nullptr));
}

float *allocate(int64_t elements) {
  void *memory = nullptr;
  size_t bytes = static_cast<size_t>(elements) * sizeof(float);
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  return static_cast<float *>(memory);
}

} // namespace

int64_t Case::sentBy(int64_t ranks) const { return kind == CollectiveKind::AllGather ? elements / ranks : elements; }
int64_t Case::receivedBy(int64_t ranks) const {
  return kind == CollectiveKind::ReduceScatter ? elements / ranks : elements;
}

// --- A job ------------------------------------------------------------------------------------------------------

struct HandWrittenJob::Handles {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
  double *value = nullptr;
  int ranks = 1;
  int rank = 0;

  void wait() const {
    check(cudaEventRecord(done, stream), "cudaEventRecord");
    for (;;) {
      cudaError_t state = cudaEventQuery(done);
      if (state == cudaSuccess)
        return;
      if (state != cudaErrorNotReady)
        check(state, "cudaEventQuery");
      std::this_thread::yield();
    }
  }
};

HandWrittenJob::HandWrittenJob(const runtime::GpuJobId &id, Place place) : handles_(std::make_unique<Handles>()) {
  Handles &own = *handles_;
  // The program uses its own CUDA runtime, since the engine's module has another.
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check(cudaSetDevice(place.localRank % devices), "cudaSetDevice");
  own.ranks = place.ranks;
  own.rank = place.rank;
  ncclUniqueId given;
  std::memcpy(&given, id.data(), sizeof(given));
  check(ncclCommInitRank(&own.comm, place.ranks, given, place.rank), "ncclCommInitRank");
  check(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaEventCreateWithFlags(&own.done, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  void *memory = nullptr;
  check(cudaMalloc(&memory, sizeof(double)), "cudaMalloc");
  own.value = static_cast<double *>(memory);
}

HandWrittenJob::~HandWrittenJob() {
  cudaFree(handles_->value);
  cudaEventDestroy(handles_->done);
  cudaStreamDestroy(handles_->stream);
  ncclCommDestroy(handles_->comm);
}

double HandWrittenJob::largest(double own) {
  const Handles &h = *handles_;
  check(cudaMemcpyAsync(h.value, &own, sizeof(own), cudaMemcpyHostToDevice, h.stream), "cudaMemcpyAsync");
  check(ncclAllReduce(h.value, h.value, 1, ncclDouble, ncclMax, h.comm, h.stream), "ncclAllReduce");
  check(cudaMemcpyAsync(&own, h.value, sizeof(own), cudaMemcpyDeviceToHost, h.stream), "cudaMemcpyAsync");
  h.wait();
  return own;
}

// --- Steps ------------------------------------------------------------------------------------------------------

struct HandSteps::Memory {
  float *send = nullptr;
  float *receive = nullptr;
  cudaGraphExec_t graph = nullptr;
};

HandSteps::HandSteps(HandWrittenJob &job, const Case &c, bool capture)
    : job_(job), case_(c), memory_(std::make_unique<Memory>()) {
  memory_->send = allocate(c.sentBy(job.handles_->ranks));
  memory_->receive = allocate(c.receivedBy(job.handles_->ranks));
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (!capture)
    return;
  cudaStream_t stream = job.handles_->stream;
  cudaGraph_t captured = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  enqueueEach();
  check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&memory_->graph, captured, 0), "cudaGraphInstantiate");
  check(cudaGraphDestroy(captured), "cudaGraphDestroy");
}

HandSteps::~HandSteps() {
  if (memory_->graph)
    cudaGraphExecDestroy(memory_->graph);
  cudaFree(memory_->send);
  cudaFree(memory_->receive);
}

void HandSteps::enqueueEach() {
  const HandWrittenJob::Handles &job = *job_.handles_;
  auto sent = static_cast<size_t>(case_.sentBy(job.ranks)), received = static_cast<size_t>(case_.receivedBy(job.ranks));
  float *from = memory_->send, *to = memory_->receive;
  for (int step = 0; step < case_.steps; ++step) {
    if (case_.kind == CollectiveKind::AllReduce) {
      check(ncclAllReduce(from, to, sent, ncclFloat, ncclSum, job.comm, job.stream), "ncclAllReduce");
    } else if (case_.kind == CollectiveKind::AllGather) {
      check(ncclAllGather(from, to, sent, ncclFloat, job.comm, job.stream), "ncclAllGather");
    } else if (case_.kind == CollectiveKind::ReduceScatter) {
      check(ncclReduceScatter(from, to, received, ncclFloat, ncclSum, job.comm, job.stream), "ncclReduceScatter");
    } else {
      size_t part = sent / static_cast<size_t>(job.ranks);
      check(ncclGroupStart(), "ncclGroupStart");
      for (int peer = 0; peer < job.ranks; ++peer) {
        size_t offset = static_cast<size_t>(peer) * part;
        check(ncclSend(from + offset, part, ncclFloat, peer, job.comm, job.stream), "ncclSend");
        check(ncclRecv(to + offset, part, ncclFloat, peer, job.comm, job.stream), "ncclRecv");
      }
      check(ncclGroupEnd(), "ncclGroupEnd");
    }
  }
}

void HandSteps::enqueue() {
  if (memory_->graph)
    check(cudaGraphLaunch(memory_->graph, job_.handles_->stream), "cudaGraphLaunch");
  else
    enqueueEach();
}

void HandSteps::wait() { job_.handles_->wait(); }

} // namespace ccgraph::bench
