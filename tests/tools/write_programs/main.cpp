// ccgraph_write_programs writes random programs for PyTorch, unchanged and after the pipelines.
//
//   ccgraph_write_programs FIRST COUNT [--bitwise]
//
// It prints one JSON object in a line for each seed from FIRST on: `seed`, `ranks`, `groups` (as in group files),
// `inputs` (name, dtype, sizes), `before` (FX text), `after` (pipeline -> FX text; a text that an earlier pipeline gave
// as well is left out), `failed` (pipeline -> message), and `values`. The latter has for each rank the CRC-32 of each
// output that the interpreter computes from inputValue(), with 0 for -0, or why it does not. tests/torch/gloo.py runs
// the programs.
// Exit: 0; 2 usage.
#include "support/random_program.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/dtype.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/runtime/interpreter.h"

#include "llvm/Support/CRC.h"
#include "llvm/Support/JSON.h"

#include <cstring>

using namespace ccgraph;
using namespace ccgraph::test;
namespace json = llvm::json;

namespace {

struct Way {
  llvm::StringLiteral name;
  llvm::StringLiteral pipeline; ///< "" means the level in `level`
  unsigned level;
  bool limitMemory;
};
constexpr Way ways[] = {
    {"-O1", "", 1, true},
    {"-O2", "", 2, true},
    {"-O2 --memory-budget unlimited", "", 2, false},
    {"flat", "coalesce-collectives{layout=flat}", 0, false},
    {"chunks", "inline-control-deps,functionalize-collectives,chunk-collectives{pieces=2}", 0, false},
    {"algebra", "inline-control-deps,functionalize-collectives,simplify-collectives", 0, false},
    {"flat after -O1, then in another order",
     "inline-control-deps,functionalize-collectives,deduplicate-collectives,eliminate-dead-collectives,sink-waits,"
     "coalesce-collectives{layout=flat},schedule-overlap",
     0, false},
};

std::string textOf(const Graph &graph) {
  FxTextOptions options;
  options.comments = false;
  options.liveness = false;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::cantFail(writeFxText(os, graph, options));
  return os.str();
}

/// Returns a whole number from -7 to 7: element `i` (parts of complex numbers count) of one input on one rank.
double inputValue(int64_t i, int64_t input, int64_t rank) {
  return static_cast<double>((i * 7 + i / 5 + input * 5 + rank * 11) % 15 - 7);
}

template <typename T>
void fill(HostTensor &tensor, int64_t input, int64_t rank) {
  for (size_t i = 0; i != tensor.data.size() / sizeof(T); ++i) {
    auto value = static_cast<T>(inputValue(static_cast<int64_t>(i), input, rank));
    std::memcpy(tensor.data.data() + i * sizeof(T), &value, sizeof(T));
  }
}

HostTensor inputOf(const Node &node, int64_t index, int64_t rank) {
  HostTensor tensor;
  tensor.dtype = node.type()->dtype();
  int64_t elements = 1;
  for (const Dim &dim : node.type()->sizes()) {
    tensor.sizes.push_back(dim.value());
    elements *= dim.value();
  }
  tensor.data.resize(static_cast<size_t>(elements) * sizeInBytes(tensor.dtype));
  if (tensor.dtype == DType::I64)
    fill<int64_t>(tensor, index, rank);
  else
    fill<float>(tensor, index, rank);
  return tensor;
}

std::vector<const Node *> placeholders(const Graph &graph) {
  std::vector<const Node *> found;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::Placeholder)
      found.push_back(node);
  return found;
}

/// Returns the bytes of a tensor with 0 for -0: which of the two a maximum of both is depends on the order in which a
/// backend compares.
std::vector<uint8_t> bytesWithOneZero(const HostTensor &tensor) {
  std::vector<uint8_t> bytes(tensor.data.size());
  std::memcpy(bytes.data(), tensor.data.data(), bytes.size());
  const size_t size = sizeInBytes(tensor.dtype) / (isComplex(tensor.dtype) ? 2 : 1);
  if (size == 1 || (!isFloat(tensor.dtype) && !isComplex(tensor.dtype)))
    return bytes;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint8_t &last = bytes[at + size - 1];
    const bool isZero = llvm::all_of(llvm::ArrayRef(bytes).slice(at, size - 1), [](uint8_t byte) { return byte == 0; });
    if (isZero && last == 0x80)
      last = 0;
  }
  return bytes;
}

json::Value valuesOf(const RandomProgram &program) {
  runtime::RunRequest request;
  request.graphs = {program.graph.get()};
  request.ranks = program.ranks;
  std::vector<const Node *> inputs = placeholders(*program.graph);
  for (size_t rank = 0; rank != program.ranks; ++rank) {
    TensorMap &values = request.inputs.emplace_back();
    for (size_t i = 0; i != inputs.size(); ++i)
      values["in." + inputs[i]->name().str().str()] =
          inputOf(*inputs[i], static_cast<int64_t>(i), static_cast<int64_t>(rank));
  }
  llvm::Expected<runtime::RunResult> result = runtime::interpret(request);
  if (!result)
    return llvm::toString(result.takeError());
  json::Array ranks;
  for (const TensorMap &outputs : *result) {
    json::Object sums;
    for (const auto &[name, tensor] : outputs)
      sums[name] = static_cast<int64_t>(llvm::crc32(bytesWithOneZero(tensor)));
    ranks.push_back(std::move(sums));
  }
  return ranks;
}

json::Value groupsOf(const Graph &graph) {
  json::Object groups;
  for (const Group &group : graph.groups().groups()) {
    json::Array cells;
    for (const std::vector<int64_t> &cell : group.partition)
      cells.push_back(json::Array(cell));
    if (group.partition.empty())
      cells.push_back(json::Array(group.ranks));
    groups[group.name] = std::move(cells);
  }
  return groups;
}

json::Value inputsOf(const Graph &graph) {
  json::Array inputs;
  for (const Node *node : placeholders(graph)) {
    json::Array sizes;
    for (const Dim &dim : node->type()->sizes())
      sizes.push_back(dim.value());
    inputs.push_back(json::Array{node->name().str(), torchName(node->type()->dtype()), std::move(sizes)});
  }
  return inputs;
}

void rewrite(const RandomProgram &program, bool bitwise, json::Object &after, json::Object &failed) {
  std::vector<std::string> texts = {textOf(*program.graph)};
  for (const Way &way : ways) {
    std::unique_ptr<Graph> graph = program.graph->clone();
    Pipeline pipeline =
        way.pipeline.empty() ? pipelineOfLevel(way.level) : llvm::cantFail(Pipeline::parse(way.pipeline));
    PassManagerOptions options;
    options.limitMemory = way.limitMemory;
    options.bitwise = bitwise;
    if (llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline, options); !run) {
      failed[way.name] = llvm::toString(run.takeError());
      continue;
    }
    std::string text = textOf(*graph);
    if (llvm::is_contained(texts, text))
      continue;
    texts.push_back(text);
    after[way.name] = text;
  }
}

json::Object lineOf(uint32_t seed, bool bitwise) {
  Context context;
  RandomProgram program = makeRandomProgram(context, randomNumbers(seed), ProgramFor::PyTorch);
  json::Object after, failed;
  rewrite(program, bitwise, after, failed);
  return json::Object{{"seed", seed},
                      {"ranks", static_cast<int64_t>(program.ranks)},
                      {"groups", groupsOf(*program.graph)},
                      {"inputs", inputsOf(*program.graph)},
                      {"before", textOf(*program.graph)},
                      {"after", std::move(after)},
                      {"failed", std::move(failed)},
                      {"values", valuesOf(program)}};
}

} // namespace

int main(int argc, char **argv) {
  uint32_t first = 0, count = 0;
  bool bitwise = argc == 4 && llvm::StringRef(argv[3]) == "--bitwise";
  if (argc != (bitwise ? 4 : 3) || llvm::StringRef(argv[1]).getAsInteger(10, first) ||
      llvm::StringRef(argv[2]).getAsInteger(10, count)) {
    llvm::errs() << "usage: ccgraph_write_programs FIRST COUNT [--bitwise]\n";
    return 2;
  }
  for (uint32_t seed = first; seed != first + count; ++seed)
    llvm::outs() << json::Value(lineOf(seed, bitwise)) << '\n';
  return 0;
}
