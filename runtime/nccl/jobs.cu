#include "jobs.cuh"

namespace ccgraph::runtime::device {
namespace {

constexpr int widestNumber = 8;

/// A block. As HostTeam (device/team.h), whose order of folds it keeps.
class BlockTeam {
public:
  /// `parts`: as large as the largest number of each lane, shared by the block.
  __device__ explicit BlockTeam(std::byte *parts) : parts_(parts) {}
  template <typename Body>
  __device__ void each(Body body) {
    body(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <typename T, typename Body, typename Fold>
  __device__ T reduce(Body body, Fold fold) {
    static_assert(sizeof(T) <= widestNumber);
    T *parts = reinterpret_cast<T *>(parts_);
    const int lane = static_cast<int>(threadIdx.x);
    parts[lane] = body(lane);
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
      if (lane < half)
        parts[lane] = fold(parts[lane], parts[lane + half]);
      __syncthreads();
    }
    T all = parts[0];
    // Because the next reduction may write to the same place.
    __syncthreads();
    return all;
  }
  __device__ void fail() { __trap(); }

private:
  std::byte *parts_;
};

template <typename C, typename Work>
__global__ void computeUnits(Work job, int64_t units) {
  __shared__ alignas(widestNumber) std::byte parts[widestNumber * lanes];
  BlockTeam team(parts);
  for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x)
    runUnit<C>(job, unit, team);
}

template <typename C, typename Work>
cudaError_t launchUnits(const Work &job, cudaStream_t stream) {
  // What a launch takes along on any device.
  static_assert(sizeof(Work) + sizeof(int64_t) <= 4096);
  constexpr int64_t mostBlocks = 1 << 20;
  int64_t units = unitsOf(job);
  if (units == 0)
    return cudaSuccess;
  auto blocks = static_cast<unsigned>(units < mostBlocks ? units : mostBlocks);
  computeUnits<C><<<blocks, lanes, 0, stream>>>(job, units);
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
