#include "ccgraph/ir/machine.h"

namespace ccgraph {
namespace {

constexpr int64_t giga = 1'000'000'000;
constexpr int64_t tera = 1000 * giga;
/// in picoseconds
constexpr int64_t microsecond = 1'000'000;

// The data of the presets. Peaks are from the vendors' data sheets, dense. docs/cost-model.md has the sources of the
// reached fractions and of the link bandwidth in nccl-tests.

/// 0: not stated.
struct Peaks {
  int64_t f64 = 0;
  int64_t f32 = 0; ///< matrix products in f32 proper, not in TF32
  int64_t half = 0;
  int64_t f8 = 0;
  int64_t f4 = 0;
};

Processor gpu(const Peaks &peaks, int64_t memory) {
  Processor processor;
  auto set = [&](DType dtype, int64_t peak) { processor.flopsPerSecond[static_cast<size_t>(dtype)] = peak; };
  set(DType::F64, peaks.f64);
  set(DType::F32, peaks.f32);
  set(DType::F16, peaks.half);
  set(DType::BF16, peaks.half);
  set(DType::F8E4M3FN, peaks.f8);
  set(DType::F8E5M2, peaks.f8);
  set(DType::F4E2M1FNX2, peaks.f4);
  processor.flopsReachedPpm = 600'000;
  processor.bytesPerSecond = memory;
  processor.bytesReachedPpm = 800'000;
  return processor;
}

Machine h100x8() {
  Machine machine;
  machine.name = "h100x8";
  machine.about = "nodes of 8 H100 SXM with NVLink 4, a 400 Gb/s card for each GPU";
  machine.processor = gpu({67 * tera, 67 * tera, 989 * tera, 1979 * tera}, 3350 * giga);
  machine.generation = Generation::Hopper;
  machine.intra = {LinkKind::NvLink, 370 * giga, 16};
  machine.inter = {LinkKind::Network, 47 * giga, 16};
  machine.multicastBytesPerSecond = 480 * giga;
  machine.hostReadPs = 10 * microsecond;
  return machine;
}

/// The clock of PyTorch's estimator: without any contention.
Machine h100x8Ndr() {
  Machine machine = h100x8();
  machine.name = "h100x8-ndr";
  machine.about = "nodes of 8 H100 SXM on NDR InfiniBand, priced by PyTorch's estimator, capped at line rate";
  machine.rules = CollectiveRules::PyTorch;
  machine.inter.bytesPerSecond = 50 * giga;
  machine.multicastBytesPerSecond = 0;
  machine.hostReadsStall = false;
  machine.hostReadPs = 0;
  machine.sharedLinks = false;
  return machine;
}

Machine h200x8() {
  Machine machine = h100x8();
  machine.name = "h200x8";
  machine.about = "nodes of 8 H200 SXM with NVLink 4, a 400 Gb/s card for each GPU";
  machine.processor.bytesPerSecond = 4800 * giga;
  return machine;
}

Machine b200x8() {
  Machine machine = h100x8();
  machine.name = "b200x8";
  machine.about = "nodes of 8 B200 with NVLink 5, a 400 Gb/s card for each GPU";
  machine.processor = gpu({40 * tera, 80 * tera, 2250 * tera, 4500 * tera, 9000 * tera}, 8000 * giga);
  machine.generation = Generation::Blackwell;
  machine.intra = {LinkKind::NvLink, 720 * giga, 32};
  machine.multicastBytesPerSecond = 840 * giga;
  return machine;
}

Machine a100x8() {
  Machine machine;
  machine.name = "a100x8";
  machine.about = "nodes of 8 A100 SXM 80 GB with NVLink 3, a 200 Gb/s card for each GPU";
  machine.processor = gpu({.f64 = 19'500 * giga, .f32 = 19'500 * giga, .half = 312 * tera}, 2039 * giga);
  machine.generation = Generation::Ampere;
  machine.intra = {LinkKind::NvLink, 240 * giga, 8};
  machine.inter = {LinkKind::Network, 24 * giga, 8};
  return machine;
}

/// Ranks are threads or processes of one host: they communicate through its memory.
Machine cpuHost() {
  Machine machine;
  machine.name = "cpu";
  machine.about = "ranks that share one host of 16 cores: shared memory inside, 10 Gb/s Ethernet across";
  machine.processor = gpu({.f64 = 40 * giga, .f32 = 80 * giga}, 10 * giga);
  machine.ranksPerNode = 16;
  machine.rules = CollectiveRules::Linear;
  machine.intra = {LinkKind::Pcie, 4 * giga, 1, 5'000'000};
  machine.inter = {LinkKind::Network, 1'200'000'000, 1, 30'000'000};
  return machine;
}

/// Sorted by name.
constexpr Machine (*presets[])() = {a100x8, b200x8, cpuHost, h100x8, h100x8Ndr, h200x8};

} // namespace

std::optional<Machine> machinePreset(llvm::StringRef name) {
  for (Machine (*make)() : presets)
    if (Machine machine = make(); machine.name == name)
      return machine;
  return std::nullopt;
}

std::vector<std::string> machinePresetNames() {
  std::vector<std::string> names;
  for (Machine (*make)() : presets)
    names.push_back(make().name);
  return names;
}

} // namespace ccgraph
