// The lists of docs/graph.schema.json are those of the code.
#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/node.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>
#include <set>

using namespace ccgraph;

namespace {

std::set<std::string> enumOf(const llvm::json::Value &schema, std::initializer_list<llvm::StringRef> path) {
  const llvm::json::Value *place = &schema;
  for (llvm::StringRef step : path)
    place = place->getAsObject()->get(step);
  std::set<std::string> words;
  for (const llvm::json::Value &word : *place->getAsObject()->getArray("enum"))
    words.insert(word.getAsString()->str());
  return words;
}

llvm::json::Value schema() {
  auto file = InputFile::open(CCGRAPH_SOURCE_DIR "/docs/graph.schema.json");
  return llvm::cantFail(llvm::json::parse(llvm::cantFail(std::move(file)).text()));
}

} // namespace

TEST(Schema, ListsEveryDtype) {
  std::set<std::string> known;
  for (unsigned i = 0; i < numDTypes; ++i)
    known.insert(shortName(static_cast<DType>(i)).str());
  EXPECT_EQ(enumOf(schema(), {"$defs", "dtype"}), known);
}

TEST(Schema, ListsEveryOpcode) {
  std::set<std::string> known;
  for (Opcode opcode : {Opcode::Placeholder, Opcode::GetAttr, Opcode::CallFunction, Opcode::Output})
    known.insert(opcodeName(opcode).str());
  EXPECT_EQ(enumOf(schema(), {"$defs", "node", "properties", "op"}), known);
}
