// ccgraph_differentiate writes gradient programs that PyTorch checks.
//
//   ccgraph_differentiate --targets     the operators that have a rule, one a line
//   ccgraph_differentiate FILE...       for each graph file: FILE.gradient.py, FX text of a program with one further
//                                       input, `seed`, the gradient of the first output; it returns the gradients of
//                                       the floating-point inputs, in order, None if there is none
//
// It prints a line for each file: "ok", or the error that refused it. Exit: 0; 2 usage. A file that cannot be read
// aborts the program.
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/infer_types.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/tracer/gradient.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace ccgraph;

namespace {

bool isFloatInput(const Node &node) {
  return node.opcode() == Opcode::Placeholder && node.type() && node.type()->isTensor() &&
         isFloat(node.type()->dtype());
}

/// Adds the input after the other inputs.
Node *addSeed(Graph &graph, const Type &type) {
  Node *firstCall = *llvm::find_if(graph, [](const Node *node) { return node->opcode() != Opcode::Placeholder; });
  GraphBuilder builder(graph, firstCall);
  return builder.input("seed", builder.tensorLike(type, *staticDims(type.sizes())));
}

llvm::Error differentiate(Graph &graph) {
  Node *output = graph.back(), *first = output->operand(0);
  tracer::GradientRequest request{.of = first, .seed = addSeed(graph, *first->type())};
  for (Node *node : graph)
    if (isFloatInput(*node) && node != request.seed)
      request.with.push_back(node);
  GraphBuilder builder(graph, output);
  llvm::Expected<std::vector<Node *>> gradients = tracer::appendGradients(builder, request);
  if (!gradients)
    return gradients.takeError();
  std::vector<Actual> results;
  for (Node *gradient : *gradients)
    results.push_back(gradient ? Actual(gradient) : Actual::none());
  graph.erase(output);
  GraphBuilder(graph).output(std::move(results));
  inferTypes(graph);
  return llvm::Error::success();
}

void differentiateFile(const std::string &path) {
  Context context;
  std::unique_ptr<Graph> graph = llvm::cantFail(loadGraph(context, path));
  if (llvm::Error error = differentiate(*graph)) {
    llvm::outs() << llvm::StringRef(llvm::toString(std::move(error))).split('\n').first << '\n';
    return;
  }
  std::error_code failed;
  llvm::raw_fd_ostream file(path + ".gradient.py", failed);
  llvm::cantFail(writeFxText(file, *graph));
  llvm::outs() << "ok\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: ccgraph_differentiate --targets | FILE...\n";
    return 2;
  }
  if (llvm::StringRef(argv[1]) == "--targets") {
    for (const std::string &target : tracer::differentiableTargets())
      llvm::outs() << target << '\n';
    return 0;
  }
  for (int i = 1; i < argc; ++i)
    differentiateFile(argv[i]);
  return 0;
}
