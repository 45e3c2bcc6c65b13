#include "graph_calls.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/machine.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::measured {
namespace {

/// Returns "aten.mm" for "aten.mm.default"; a collective in place has the name of the one that is not.
std::string operatorName(llvm::StringRef target) {
  llvm::StringRef name = target.count('.') > 1 ? target.rsplit('.').first : target;
  return (name.startswith("_c10d_functional.") ? name.rtrim('_') : name).str();
}

/// Returns the operator and the types of operands and result, on which the time of a call depends.
std::string callKey(const Node &node) {
  std::string key = node.target().str().str();
  auto add = [&](const Type *type) { key += ";" + (type ? type->str() : std::string("?")); };
  for (const Node *operand : node.dataOperands())
    add(operand->type());
  add(node.type());
  return key;
}

std::optional<int64_t> bytesMoved(const Node &node) {
  const std::optional<int64_t> sent = inputBytes(node), received = outputBytes(node);
  return sent && received ? std::optional(std::max(*sent, *received)) : std::nullopt;
}

/// Returns "cpp_fused_add_0" for "graph_0_cpp_fused_add_0": the profiler's name has the number of the graph.
llvm::StringRef kernelName(llvm::StringRef eventName) {
  llvm::StringRef rest = eventName;
  if (!rest.consume_front("graph_"))
    return eventName;
  llvm::StringRef digits = rest.take_while([](char c) { return c >= '0' && c <= '9'; });
  rest = rest.drop_front(digits.size());
  return !digits.empty() && rest.consume_front("_") ? rest : eventName;
}

/// Returns whether the node writes no operand, communicates nothing, and its result is no view.
bool makesNewValues(const Node &node) {
  const Effects effects = effectsOf(node);
  return effects.freshResult && effects.domain == Domain::None && !isWait(node);
}

bool isGeneratedKernel(llvm::StringRef kernel) { return kernel.startswith("cpp_") || kernel.startswith("triton_"); }

} // namespace

void GraphCalls::add(const ExecutedGraph &graph, uint32_t number, llvm::ArrayRef<KernelProvenance> provenance) {
  addKernels(addNodes(graph.graph, number), provenance);
}

GraphCalls::Places GraphCalls::addNodes(const Graph &graph, uint32_t number) {
  const StorageMap storages(graph);
  const AsyncPairs pairs(graph, storages);
  llvm::DenseMap<const Node *, NodeIndex> places;
  Places byName;
  for (const Node *node : graph) {
    if (node->opcode() != Opcode::CallFunction)
      continue;
    Call call{node->name().str().str()};
    call.isWait = isWait(*node);
    for (const Node *launch : pairs.completes(node))
      if (auto place = places.find(launch); place != places.end())
        call.launches.push_back(place->second);
    // A wait on the result of a wait has no effect, and a compiled program leaves it out.
    if (call.isWait && call.launches.empty() && !pairs.waitsForOthers(node))
      continue;
    if (std::optional<CollectiveCall> launch = collectiveCall(*node)) {
      call.kind = timedAs(launch->spec->kind);
      call.group = launch->group.str();
      call.bytes = bytesMoved(*node);
    }
    call.sameCalls = numbers_.try_emplace(callKey(*node), static_cast<uint32_t>(numbers_.size())).first->second;
    call.node = call.name;
    call.graph = number;
    const auto index = static_cast<NodeIndex>(calls_.size());
    places[node] = byName[call.name] = index;
    stated_.try_emplace(call.name, NamedCalls{Rule::Stated, {{index}}});
    NamedCalls &named = operators_[operatorName(node->target().str())];
    named.rule = call.isWait ? Rule::Wait : Rule::Operator;
    named.calls.push_back({index});
    calls_.push_back(std::move(call));
    isComputed_.push_back(makesNewValues(*node));
  }
  return byName;
}

// Each compiled graph has a mapping, and the ranks repeat them. The mapping of this graph names only nodes of this
// graph, and most of them.
void GraphCalls::addKernels(const Places &places, llvm::ArrayRef<KernelProvenance> provenance) {
  const KernelProvenance *best = nullptr;
  size_t most = 0;
  for (const KernelProvenance &mapping : provenance) {
    size_t nodes = 0;
    bool fits = true;
    for (const KernelNodes &kernel : mapping.kernels) {
      nodes += kernel.nodes.size();
      fits &= llvm::all_of(kernel.nodes, [&](const std::string &node) { return places.count(node) != 0; });
    }
    if (fits && nodes > most)
      best = &mapping, most = nodes;
  }
  for (const KernelNodes &kernel : best ? best->kernels : std::vector<KernelNodes>()) {
    if (!isGeneratedKernel(kernel.kernel))
      continue;
    NamedCalls &named = kernels_[kernel.kernel];
    named.rule = Rule::Kernel;
    llvm::SmallVector<NodeIndex, 2> &nodes = named.calls.emplace_back();
    // A kernel that writes the input of a collective is listed with the collective.
    for (const std::string &node : kernel.nodes)
      if (const NodeIndex place = places.lookup(node); !calls_[place].kind && !calls_[place].isWait)
        nodes.push_back(place);
  }
}

bool GraphCalls::namesGeneratedKernel(llvm::StringRef eventName) { return isGeneratedKernel(kernelName(eventName)); }

const NamedCalls *GraphCalls::find(llvm::StringRef eventName) const {
  if (auto kernel = kernels_.find(kernelName(eventName)); kernel != kernels_.end())
    return &kernel->second;
  auto [space, op] = eventName.split("::");
  if (op.empty())
    return nullptr;
  auto found = operators_.find(operatorName((space + "." + op + ".any").str()));
  return found == operators_.end() ? nullptr : &found->second;
}

const NamedCalls *GraphCalls::findNode(llvm::StringRef node) const {
  auto found = stated_.find(node);
  return found == stated_.end() ? nullptr : &found->second;
}

} // namespace ccgraph::measured
