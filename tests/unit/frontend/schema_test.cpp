// The lists of docs/graph.schema.json are those of the code.
#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/node.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

using namespace ccgraph;

namespace {

std::set<std::string> enumOf(const nlohmann::json &schema, std::initializer_list<const char *> path) {
  const nlohmann::json *place = &schema;
  for (const char *step : path)
    place = &place->at(step);
  return place->at("enum").get<std::set<std::string>>();
}

nlohmann::json schema() {
  auto file = InputFile::open(CCGRAPH_SOURCE_DIR "/docs/graph.schema.json");
  return nlohmann::json::parse(llvm::cantFail(std::move(file)).text());
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
