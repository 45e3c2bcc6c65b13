// Reads every captured graph as PyTorch prints it: each node must match PyTorch's table, and writing must return the
// text.
#include "support/corpus.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"

#include "llvm/ADT/SetVector.h"

#include <gtest/gtest.h>

using namespace ccgraph;
using namespace ccgraph::test;
using llvm::StringRef;

namespace {

/// PyTorch's table has "<built-in function le>" for ccgraph's "operator.le".
bool sameTarget(const Node &node, StringRef theirs) {
  StringRef ours = node.target().str();
  if (theirs.consume_front("<")) {
    StringRef function = theirs.split("function ").second.take_until([](char c) { return c == ' ' || c == '>'; });
    return ours.rsplit('.').second == function;
  }
  ours.consume_front("higher_order.");
  return ours == theirs;
}

std::string withoutBlanks(StringRef text) {
  std::string out;
  for (char c : text)
    if (c != ' ')
      out += c;
  return out;
}

/// The text has no types for lists and Python numbers; their types are unknown in ccgraph.
bool sameType(const Node &node, StringRef theirs) {
  if (theirs == "-" || theirs == "True" || theirs == "False")
    return true;
  if (node.type() == nullptr)
    return theirs.startswith("(") || theirs.startswith("Sym");
  return withoutBlanks(node.type()->str()) == withoutBlanks(theirs);
}

std::vector<std::string> inputsOf(const Node &node) {
  llvm::SmallSetVector<const Node *, 8> inputs;
  for (unsigned i = 0; i != node.numOperands(); ++i)
    inputs.insert(node.operand(i));
  std::vector<std::string> names;
  for (const Node *input : inputs)
    names.push_back(input->name().str().str());
  return names;
}

bool sameNode(const Node &node, const TruthRow &row) {
  if (opcodeName(node.opcode()) != row.opcode || inputsOf(node) != row.inputs)
    return false;
  return node.opcode() == Opcode::Output ||
         (node.name().str() == row.name && sameTarget(node, row.target) && sameType(node, row.type));
}

void compare(const Graph &graph, const TruthGraph &truth) {
  ASSERT_EQ(graph.size(), truth.rows.size());
  const Node *node = graph.front();
  for (const TruthRow &row : truth.rows) {
    ASSERT_TRUE(sameNode(*node, row)) << node->name().str().str() << " " << node->target().str().str() << " "
                                      << typeText(node->type()) << "\nPyTorch: " << row.name << " " << row.target << " "
                                      << row.type;
    node = node->next();
  }
}

/// Appends the graph and its subgraphs, outer before inner, in the order of the text.
void flatten(const Graph &graph, std::vector<const Graph *> &out) {
  out.push_back(&graph);
  for (const auto &[name, subgraph] : graph.subgraphs())
    flatten(*subgraph, out);
}

/// Returns the form that ccgraph writes: PyTorch's class name for a traced lambda is not valid Python.
std::string asPython(StringRef text) {
  const bool isLambda = text.consume_front("class <lambda>(torch.nn.Module):");
  return (isLambda ? "class _lambda_(torch.nn.Module):  # <lambda>" : "") + text.str();
}

} // namespace

TEST(FxCorpusTest, EveryNodeIsWhatPyTorchSaysAndWritingGivesTheTextBack) {
  std::vector<CapturedGraph> graphs = capturedGraphs();
  ASSERT_FALSE(graphs.empty());
  RecordProperty("graphs", static_cast<int>(graphs.size()));
  for (const CapturedGraph &captured : graphs) {
    SCOPED_TRACE(captured.readable);
    Context context;
    llvm::Expected<InputFile> file = InputFile::open(captured.readable);
    ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
    auto read = readFxText(context, file->source());
    ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
    ASSERT_EQ(read->size(), 1U);
    std::vector<const Graph *> ours;
    flatten(*read->front(), ours);
    std::vector<TruthGraph> truth = truthOf(captured);
    ASSERT_EQ(ours.size(), truth.size());
    for (size_t i = 0; i != ours.size(); ++i) {
      ASSERT_EQ(i == 0 ? "" : ours[i]->name().str(), truth[i].name);
      compare(*ours[i], truth[i]);
    }
    std::string written;
    llvm::raw_string_ostream os(written);
    llvm::cantFail(writeFxText(os, *read->front()));
    ASSERT_EQ(StringRef(os.str()).rtrim('\n').str(), asPython(file->text().rtrim('\n')));
  }
}
