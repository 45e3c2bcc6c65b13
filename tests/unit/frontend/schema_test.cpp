// Tests that the lists of the schemas in docs/ are those of the code.
#include "ccgraph/frontend/files.h"
#include "ccgraph/ir/node.h"
#include "ccgraph/ir/plan.h"

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

nlohmann::json schema(const std::string &name) {
  auto file = InputFile::open(CCGRAPH_SOURCE_DIR "/docs/" + name + ".schema.json");
  return nlohmann::json::parse(llvm::cantFail(std::move(file)).text());
}

} // namespace

TEST(Schema, ListsEveryDtype) {
  std::set<std::string> known;
  for (unsigned i = 0; i < numDTypes; ++i)
    known.insert(shortName(static_cast<DType>(i)).str());
  EXPECT_EQ(enumOf(schema("graph"), {"$defs", "dtype"}), known);
  EXPECT_EQ(enumOf(schema("plan"), {"$defs", "dtype"}), known);
}

TEST(Schema, ListsEveryOpcode) {
  std::set<std::string> known;
  for (Opcode opcode : {Opcode::Placeholder, Opcode::GetAttr, Opcode::CallFunction, Opcode::Output})
    known.insert(opcodeName(opcode).str());
  EXPECT_EQ(enumOf(schema("graph"), {"$defs", "node", "properties", "op"}), known);
}

TEST(Schema, ListsEveryCollective) {
  std::set<std::string> known;
  for (unsigned i = 0; i <= static_cast<unsigned>(CollectiveKind::Barrier); ++i)
    known.insert(collectiveName(static_cast<CollectiveKind>(i)).str());
  EXPECT_EQ(enumOf(schema("plan"), {"$defs", "call", "properties", "kind"}), known);
}

TEST(Schema, ListsEveryReduction) {
  std::set<std::string> known;
  for (unsigned i = 0; i <= static_cast<unsigned>(ReduceOp::Bxor); ++i)
    known.insert(reduceOpName(static_cast<ReduceOp>(i)).str());
  EXPECT_EQ(enumOf(schema("plan"), {"$defs", "call", "properties", "reduce"}), known);
}

TEST(Schema, ListsEveryFactOfAGuard) {
  std::set<std::string> known;
  for (GuardFact fact : guardFacts)
    known.insert(guardFactName(fact).str());
  EXPECT_EQ(enumOf(schema("graph"), {"$defs", "guard", "properties", "fact"}), known);
  EXPECT_EQ(enumOf(schema("plan"), {"$defs", "guard", "properties", "fact"}), known);
}

TEST(Schema, ListsEveryHome) {
  std::set<std::string> known;
  for (unsigned i = 0; i <= static_cast<unsigned>(Home::Host); ++i)
    known.insert(homeName(static_cast<Home>(i)).str());
  EXPECT_EQ(enumOf(schema("plan"), {"$defs", "buffer", "properties", "home"}), known);
}
