// Compares every captured graph with the operator table: no operator that PyTorch declares is unknown, the type rules
// give PyTorch's types, and the verifier finds no error.
#include "support/corpus.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/group_file.h"
#include "ccgraph/frontend/read_graph.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/type_inference.h"
#include "ccgraph/ir/verifier.h"

#include <gtest/gtest.h>

#include <map>

using namespace ccgraph;
using namespace ccgraph::test;
using llvm::StringRef;

namespace {

/// The main graph of a capture. Its list types come from PyTorch's table, since the text does not print them.
class Capture {
public:
  explicit Capture(const CapturedGraph &captured) {
    auto file = InputFile::open(captured.readable);
    auto graphs = file ? readGraphs(context_, file->source()) : llvm::Expected<GraphList>(file.takeError());
    if (!graphs) {
      ADD_FAILURE() << captured.readable << ": " << llvm::toString(graphs.takeError());
      return;
    }
    graph_ = std::move(graphs->front());
    truth_ = truthOf(captured).front();
    Node *node = graph_->front();
    for (const TruthRow &row : truth_.rows) {
      if (StringRef(row.type).startswith("(") && node->opcode() == Opcode::CallFunction)
        graph_->setType(node, listType(row.type));
      node = node->next();
    }
  }

  Graph *graph() { return graph_.get(); }

private:
  /// Reads "(t1, -, (t2))": PyTorch's tables write the types of several results in brackets.
  const Type *listType(StringRef text) {
    std::vector<const Type *> elements;
    StringRef inner = text.drop_front().drop_back();
    while (!inner.empty()) {
      size_t length = elementLength(inner);
      elements.push_back(typeOf(inner.take_front(length).trim()));
      inner = inner.drop_front(std::min(length + 1, inner.size()));
    }
    return context_.list(elements);
  }

  const Type *typeOf(StringRef text) {
    if (text.startswith("("))
      return listType(text);
    if (text == "-" || text == "None")
      return nullptr;
    auto type = parseType(context_, text);
    return type ? *type : (llvm::consumeError(type.takeError()), nullptr);
  }

  static size_t elementLength(StringRef text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
      if (depth == 0 && text[i] == ',')
        return i;
    }
    return text.size();
  }

  Context context_;
  std::unique_ptr<Graph> graph_;
  TruthGraph truth_;
};

/// Ignores the strides of dimensions with one element, which have no meaning: PyTorch's own meta functions and kernels
/// differ in them.
bool sameTensor(const Type &a, const Type &b) {
  if (a.dtype() != b.dtype() || a.device() != b.device() || a.sizes() != b.sizes() ||
      a.strides().size() != b.strides().size())
    return false;
  for (size_t i = 0; i < a.strides().size(); ++i)
    if (a.sizes()[i] != Dim(1) && a.strides()[i] != b.strides()[i])
      return false;
  return true;
}

/// Returns true if all elements with a type on both sides are equal: PyTorch has no type for a Work object.
bool agree(const Type *ours, const Type *theirs) {
  if (!ours || !theirs || ours == theirs)
    return true;
  if (ours->isTensor() && theirs->isTensor())
    return sameTensor(*ours, *theirs);
  if (!ours->isList() || !theirs->isList() || ours->elements().size() != theirs->elements().size())
    return false;
  for (auto [a, b] : llvm::zip(ours->elements(), theirs->elements()))
    if (!agree(a, b))
      return false;
  return true;
}

struct Tally {
  size_t nodes = 0;
  size_t answered = 0;
  std::map<std::string, size_t> wrong;
  std::map<std::string, size_t> silent;
};

void checkNode(const Node &node, StringRef graph, Tally &tally) {
  if (!node.op() || !node.type())
    return;
  ++tally.nodes;
  std::string target = node.target().str().str();
  llvm::Expected<const Type *> type = certainType(node);
  if (!type)
    FAIL() << graph.str() << ": " << llvm::toString(type.takeError());
  if (!*type)
    return void(++tally.silent[target]);
  ++tally.answered;
  if (!agree(*type, node.type()) && ++tally.wrong[target] <= 3)
    ADD_FAILURE() << graph.str() << ": " << node.name().str().str() << " = " << target
                  << "\n  rule:    " << typeText(*type) << "\n  PyTorch: " << typeText(node.type());
}

TEST(OpsCorpus, ShapeRulesSayWhatPyTorchSays) {
  Tally tally;
  for (const CapturedGraph &captured : capturedGraphs()) {
    if (captured.nodes.empty())
      continue;
    Capture capture(captured);
    for (const Node *node = capture.graph() ? capture.graph()->front() : nullptr; node; node = node->next())
      checkNode(*node, captured.name, tally);
  }
  EXPECT_TRUE(tally.wrong.empty());
  EXPECT_GT(tally.answered * 10, tally.nodes * 8) << "the rules should answer for four nodes in five";
  std::vector<std::pair<size_t, std::string>> silent;
  for (const auto &[target, count] : tally.silent)
    silent.push_back({count, target});
  llvm::sort(silent, std::greater<>());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(silent.size(), 25); ++i)
    text += " " + silent[i].second + " " + std::to_string(silent[i].first);
  std::printf("%zu of %zu types inferred; not: %s\n", tally.answered, tally.nodes, text.c_str());
}

TEST(OpsCorpus, OnlyForeignOperatorsAreOpaque) {
  std::map<std::string, size_t> opaque;
  for (const CapturedGraph &captured : capturedGraphs()) {
    Capture capture(captured);
    for (const Node *node = capture.graph() ? capture.graph()->front() : nullptr; node; node = node->next())
      if (node->op() && node->op()->opaque)
        ++opaque[node->target().str().str()];
  }
  opaque.erase("torchtitan.deterministic_scatter_add.default"); // an operator of torchtitan: PyTorch registers no
                                                                // schema for it
  for (const auto &[target, count] : opaque)
    ADD_FAILURE() << target << " is opaque in " << count << " places";
}

/// Reads the groups from the facts beside the capture, if they have groups.
void readGroups(const std::string &path, Graph &graph) {
  auto file = InputFile::open(path);
  auto groups = file ? readGroupFile(file->source()) : llvm::Expected<GroupTable>(file.takeError());
  if (groups)
    graph.groups() = *groups;
  else
    llvm::consumeError(groups.takeError());
}

TEST(OpsCorpus, NothingToObjectToInWhatPyTorchMakes) {
  for (const CapturedGraph &captured : capturedGraphs()) {
    Capture capture(captured);
    if (!capture.graph())
      continue;
    readGroups(captured.facts, *capture.graph());
    llvm::Error error = verifyOrError(*capture.graph());
    EXPECT_FALSE(static_cast<bool>(error)) << captured.readable;
    if (error)
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
}

} // namespace
