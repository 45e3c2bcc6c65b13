#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/infer_types.h"
#include "support/corpus.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>
#include <map>

using namespace ccgraph;
using namespace ccgraph::test;
using llvm::StringRef;

namespace {

/// PyTorch's types by node, including subgraphs, for the nodes with a type in PyTorch's table.
using Types = std::vector<std::pair<const Node *, std::string>>;

void dropTypes(Graph &graph, StringRef name, const std::vector<TruthGraph> &truth, Types &types) {
  for (const TruthGraph &table : truth) {
    if (table.name != name)
      continue;
    std::map<std::string, std::string> byName;
    for (const TruthRow &row : table.rows)
      byName[row.name] = row.type;
    for (Node *node : graph.nodes())
      if (node->opcode() == Opcode::CallFunction) {
        graph.setType(node, nullptr);
        types.emplace_back(node, byName[node->name().str().str()]);
      }
  }
  for (const auto &[key, subgraph] : graph.subgraphs())
    dropTypes(*subgraph, key.str(), truth, types);
}

/// Numbers that depend on data have other names here.
bool comparable(StringRef type) {
  if (type.empty() || type == "-" || type == "True" || type == "False")
    return false;
  for (size_t at = type.find('u'); at != StringRef::npos; at = type.find('u', at + 1))
    if (at + 1 != type.size() && llvm::isDigit(type[at + 1]) && (at == 0 || !llvm::isAlnum(type[at - 1])))
      return false;
  return true;
}

std::string spelled(StringRef type) {
  std::string text = type.str();
  llvm::erase_value(text, ' ');
  for (size_t at = text.find(",)"); at != std::string::npos; at = text.find(",)"))
    text.erase(at, 1);
  return text;
}

} // namespace

TEST(InferTypesCorpus, ErasedTypesComeBack) {
  size_t compared = 0;
  size_t unknown = 0;
  size_t wrong = 0;
  std::map<std::string, size_t> open;
  for (const CapturedGraph &captured : capturedGraphs()) {
    SCOPED_TRACE(captured.readable);
    Context context;
    InputFile file = llvm::cantFail(InputFile::open(captured.readable));
    GraphList graphs = llvm::cantFail(readFxText(context, file.source()));
    Types types;
    dropTypes(*graphs.front(), "", truthOf(captured), types);
    inferTypes(*graphs.front());
    // The graphs of this folder hold operators that no distributed training step in the corpus has, so unknown types
    // there are accepted.
    bool isOrdinary = !StringRef(captured.readable).contains("/further/");
    for (const auto &[node, expected] : types) {
      if (!comparable(expected))
        continue;
      ++compared;
      if (node->type() == nullptr)
        unknown += isOrdinary, open[node->target().str().str()] += isOrdinary;
      else if (spelled(node->type()->str()) != spelled(expected) && ++wrong <= 10)
        ADD_FAILURE() << node->name().str().str() << ", " << node->target().str().str() << ": inferred "
                      << node->type()->str() << ", PyTorch has " << expected;
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(compared, 1000U);
  EXPECT_LE(unknown * 200, compared) << "0.5 % may stay unknown";
  for (const auto &[target, count] : open)
    if (count != 0 && unknown * 200 > compared)
      ADD_FAILURE() << count << " results of " << target << " are unknown";
  RecordProperty("compared", static_cast<int>(compared));
  RecordProperty("unknown", static_cast<int>(unknown));
}
