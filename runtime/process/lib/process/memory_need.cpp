#include "ccgraph/runtime/memory_need.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/lifetimes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

namespace ccgraph::runtime {
namespace {

int64_t bytesOf(const Type *type) { return type ? type->numBytes().value_or(0) : 0; }

// Counted beside the values of the program itself: the inputs as the caller holds them, and the copies of the outputs
// that the caller gets.
MemoryNeed needOfOne(const Graph &graph) {
  MemoryNeed need;
  need.peak = peakMemory(graph).bytes;
  for (const Node *node : graph) {
    if (node->opcode() == Opcode::Placeholder || node->opcode() == Opcode::GetAttr)
      need.inputs = saturatingAdd(need.inputs, bytesOf(node->type()));
    if (node->opcode() == Opcode::Output)
      for (unsigned i = 0; i < node->numOperands(); ++i)
        need.outputs = saturatingAdd(need.outputs, bytesOf(node->operand(i)->type()));
  }
  return need;
}

/// "3.3 TiB"
std::string sizeText(int64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit)
    size /= 1024;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(unit ? "%.1f " : "%.0f ", size) << units[unit];
  return text;
}

} // namespace

int64_t MemoryNeed::toRun() const { return saturatingSum({inputs, peak, outputs}); }
int64_t MemoryNeed::toCompare() const { return saturatingAdd(toRun(), outputs); }

// A single graph is run by every rank: at 3 GiB it needs 12 GiB on 4 ranks, as all of them run in one process. Several
// graphs are run by one rank each, and their needs are added.
MemoryNeed memoryNeed(llvm::ArrayRef<const Graph *> graphs, size_t ranks) {
  MemoryNeed all;
  int64_t times = graphs.size() == 1 ? static_cast<int64_t>(ranks) : 1;
  for (const Graph *graph : graphs) {
    MemoryNeed one = needOfOne(*graph);
    all.inputs = saturatingAdd(all.inputs, saturatingMultiply(one.inputs, times));
    all.peak = saturatingAdd(all.peak, saturatingMultiply(one.peak, times));
    all.outputs = saturatingAdd(all.outputs, saturatingMultiply(one.outputs, times));
  }
  return all;
}

llvm::Error checkMemory(int64_t bytes, size_t ranks, int64_t limit) {
  if (bytes <= limit)
    return llvm::Error::success();
  int64_t each = bytes / static_cast<int64_t>(ranks);
  int64_t fitting = each > 0 ? limit / each : 0;
  return makeError(
      diagnose("run.memory",
               (llvm::Twine(ranks) + (ranks == 1 ? " rank needs " : " ranks need ") + sizeText(bytes) +
                (ranks == 1 ? "" : " together, " + sizeText(each) + " each") + ", and the limit is " + sizeText(limit))
                   .str(),
               fitting == 0 ? "run the program with smaller sizes: one rank alone does not fit"
                            : (llvm::Twine("run at most ") + llvm::Twine(fitting) +
                               (fitting == 1 ? " rank" : " ranks") + ", or the program with smaller sizes")
                                  .str()));
}

} // namespace ccgraph::runtime
