#include "support/rank_program.h"

#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/runtime/kernels.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral namespaces[] = {
    "aten.", "prims.",    "ao.",          "_c10d_functional.", "_c10d_functional_autograd.", "c10d_functional.",
    "c10d.", "_dtensor.", "higher_order."};

/// "a = aten.x(b)" -> "a = torch.ops.aten.x(b)".
std::string withPrefix(llvm::StringRef line) {
  auto [left, right] = line.split(" = ");
  for (llvm::StringRef prefix : namespaces)
    if (right.startswith(prefix))
      return (left + " = torch.ops." + right).str();
  return line.str();
}

[[noreturn]] void giveUp(const std::string &what) { llvm::report_fatal_error(llvm::Twine("test program: ") + what); }

} // namespace

std::unique_ptr<Graph> programGraph(Context &context, llvm::StringRef text) {
  auto [parameters, body] = text.split('\n');
  std::string fx = ("class f(torch.nn.Module):\n    def forward(self, " + parameters.trim() + "):\n").str();
  llvm::SmallVector<llvm::StringRef, 16> lines;
  body.split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines)
    if (!line.trim().empty())
      fx += "        " + withPrefix(line.trim()) + "\n";
  llvm::Expected<GraphList> graphs = readGraphs(context, {"program", fx});
  if (!graphs)
    giveUp(llvm::toString(graphs.takeError()) + fx);
  return std::move(graphs->front());
}

HostTensor hostTensor(DType dtype, std::vector<int64_t> sizes, const std::vector<double> &values) {
  HostTensor wide;
  wide.dtype = DType::F64;
  wide.sizes = std::move(sizes);
  wide.data.resize(values.size() * sizeof(double));
  std::copy_n(reinterpret_cast<const std::byte *>(values.data()), wide.data.size(), wide.data.begin());
  runtime::Tensor narrow = runtime::Tensor::zeros(dtype, wide.sizes);
  narrow.copyFrom(runtime::Tensor::fromHost(wide));
  return narrow.toHost();
}

std::vector<double> numbersOf(const HostTensor &tensor) {
  runtime::Tensor wide = runtime::Tensor::zeros(DType::F64, tensor.sizes);
  wide.copyFrom(runtime::Tensor::fromHost(tensor));
  const auto *first = reinterpret_cast<const double *>(wide.data());
  return {first, first + wide.numElements()};
}

RankProgram &RankProgram::addGraph(llvm::StringRef text) {
  graphs_.push_back(programGraph(*context_, text));
  std::vector<int64_t> all(ranks_);
  std::iota(all.begin(), all.end(), int64_t{0});
  return group("0", all);
}

RankProgram &RankProgram::group(llvm::StringRef name, std::vector<int64_t> ranks) {
  Group group;
  group.name = name.str();
  group.ranks = std::move(ranks);
  for (auto &graph : graphs_)
    graph->groups().set(group);
  return *this;
}

RankProgram &RankProgram::partition(llvm::StringRef name, std::vector<std::vector<int64_t>> cells) {
  Group group;
  group.name = name.str();
  group.partition = std::move(cells);
  for (auto &graph : graphs_)
    graph->groups().set(group);
  return *this;
}

RankProgram &RankProgram::object(llvm::StringRef name, ObjectMeaning meaning) {
  objects_[name.str()] = std::move(meaning);
  return *this;
}

RankProgram &RankProgram::input(size_t rank, llvm::StringRef name, HostTensor tensor) {
  inputs_[rank][("in." + name).str()] = std::move(tensor);
  return *this;
}

RankProgram &RankProgram::legibleInput(std::vector<int64_t> sizes, llvm::StringRef name, DType dtype) {
  auto count = static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()));
  for (size_t rank = 0; rank < ranks_; ++rank) {
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), 100.0 * static_cast<double>(rank + 1));
    input(rank, name, hostTensor(dtype, sizes, values));
  }
  return *this;
}

runtime::RunRequest RankProgram::request() const {
  runtime::RunRequest request;
  for (const auto &graph : graphs_)
    request.graphs.push_back(graph.get());
  request.ranks = ranks_;
  request.inputs = inputs_;
  request.objects = objects_;
  return request;
}

llvm::Expected<runtime::RunResult> RankProgram::run() const { return runtime::interpret(request()); }

std::string RankProgram::error() const {
  llvm::Expected<runtime::RunResult> result = run();
  return result ? "" : llvm::toString(result.takeError());
}

std::vector<double> RankProgram::output(size_t rank, llvm::StringRef name) const {
  llvm::Expected<runtime::RunResult> result = run();
  if (!result)
    giveUp(llvm::toString(result.takeError()));
  auto found = (*result)[rank].find(name.str());
  if (found == (*result)[rank].end())
    giveUp(("no output " + name).str());
  return numbersOf(found->second);
}

} // namespace ccgraph::test
