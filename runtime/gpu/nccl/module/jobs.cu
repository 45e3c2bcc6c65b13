#include "jobs.cuh"

namespace ccgraph::runtime::device {
namespace {

/// A block. As HostTeam (device/team.h), whose order of folds it keeps.
class BlockTeam {
public:
  /// Shared memory of the block: room for a number of each thread, and for the boards.
  struct Shared {
    alignas(widestNumber) std::byte parts[widestNumber * teamThreads];
    alignas(widestNumber) std::byte boards[numBoards][widestNumber * teamThreads];
  };
  __device__ explicit BlockTeam(Shared &shared) : shared_(shared) {}
  template <typename Body>
  __device__ void each(Body body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <typename T, typename Body, typename Fold>
  __device__ T reduce(Body body, Fold fold) {
    static_assert(sizeof(T) <= widestNumber);
    T *parts = reinterpret_cast<T *>(shared_.parts);
    const int thread = static_cast<int>(threadIdx.x);
    parts[thread] = body(thread);
    __syncthreads();
    for (int half = teamThreads / 2; half > 0; half /= 2) {
      if (thread < half)
        parts[thread] = fold(parts[thread], parts[thread + half]);
      __syncthreads();
    }
    T all = parts[0];
    // The next reduction may write to the same place.
    __syncthreads();
    return all;
  }
  template <typename T>
  __device__ T *board(int number) {
    static_assert(sizeof(T) <= widestNumber);
    return reinterpret_cast<T *>(shared_.boards[number]);
  }
  __device__ void fail() { __trap(); }

private:
  Shared &shared_;
};

template <typename C, typename Work>
__global__ void computeUnits(Work job, int64_t units) {
  __shared__ BlockTeam::Shared shared;
  BlockTeam team(shared);
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x)
    runUnit<C>(job, unit, team);
}

template <typename C, typename Work>
cudaError_t launchUnits(const Work &job, cudaStream_t stream) {
  // The arguments of a launch must fit the limit of every device.
  static_assert(sizeof(Work) + sizeof(int64_t) <= 4096);
  constexpr int64_t mostBlocks = 1 << 20;
  int64_t units = unitsOf(job);
  if (units == 0)
    return cudaSuccess;
  auto blocks = static_cast<unsigned>(units < mostBlocks ? units : mostBlocks);
  computeUnits<C><<<blocks, teamThreads, 0, stream>>>(job, units);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch(const Job &job, cudaStream_t stream) {
  return std::visit(
      [&](const auto &work) {
        return inArithmetic(work, [&](auto type) { return launchUnits<decltype(type)>(work, stream); });
      },
      job);
}

} // namespace ccgraph::runtime::device
