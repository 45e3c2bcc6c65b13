// Tests the SARIF of findings: the members that the standard requires, and the location of each result.
#include "check_report/sarif.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace ccgraph::report {
namespace {

llvm::json::Object runOf(const SarifLog &log) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSarif(os, log);
  llvm::json::Value document = llvm::cantFail(llvm::json::parse(os.str()));
  EXPECT_EQ(document.getAsObject()->getString("version"), llvm::StringRef("2.1.0"));
  EXPECT_TRUE(document.getAsObject()->getString("$schema").hasValue());
  return std::move(*document.getAsObject()->getArray("runs")->front().getAsObject());
}

std::string textOf(const llvm::json::Value *value) {
  std::string text;
  llvm::raw_string_ostream(text) << *value;
  return text;
}

SarifLog logOf(SarifResult result) {
  return {"1.2", "dumps/step 1.py", {{"count", "One."}, {"dtype", "Two."}}, {std::move(result)}};
}

std::string locationsOf(const SarifResult &result) {
  return textOf(runOf(logOf(result)).getArray("results")->front().getAsObject()->get("locations"));
}

} // namespace

TEST(Sarif, NamesToolRulesAndResult) {
  llvm::json::Object run = runOf(logOf({"dtype", "sends f32", {{"model.py", 41, 0, "gather"}}, {{"comm.toml", 7, 1}}}));
  EXPECT_EQ(textOf(run.get("tool")), R"({"driver":{"name":"ccgraph-check","rules":[{"fullDescription":{"text":"One."},)"
                                     R"("id":"count"},{"fullDescription":{"text":"Two."},"id":"dtype"}],)"
                                     R"("version":"1.2"}})");
  const llvm::json::Value &result = run.getArray("results")->front();
  EXPECT_EQ(textOf(&result),
            R"({"level":"error","locations":[{"logicalLocations":[{"kind":"variable","name":"gather"}],)"
            R"("physicalLocation":{"artifactLocation":{"uri":"model.py"},"region":{"startLine":41}}}],)"
            R"("message":{"text":"sends f32"},"relatedLocations":[{"id":1,"message":{"text":"required here"},)"
            R"("physicalLocation":{"artifactLocation":{"uri":"comm.toml"},"region":{"startColumn":1,"startLine":7}}}],)"
            R"("ruleId":"dtype","ruleIndex":1})");
}

TEST(Sarif, ALogWithoutResultsIsComplete) {
  SarifLog log = logOf({});
  log.results.clear();
  EXPECT_TRUE(runOf(log).getArray("results")->empty());
}

TEST(Sarif, AResultWithoutALineIsAtTheContract) {
  EXPECT_EQ(locationsOf({"count", "two", {{"", 0, 0, "gather"}}, {{"comm.toml", 7, 1}}}),
            R"([{"logicalLocations":[{"kind":"variable","name":"gather"}],"physicalLocation":{"artifactLocation":)"
            R"({"uri":"comm.toml"},"region":{"startColumn":1,"startLine":7}}}])");
}

TEST(Sarif, AResultWithoutAnyPlaceIsAtTheInput) {
  EXPECT_EQ(locationsOf({"unlisted", "one", {}, {}}),
            R"([{"physicalLocation":{"artifactLocation":{"uri":"dumps/step%201.py"},"region":{"startLine":1}}}])");
}

TEST(Sarif, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_NE(textOf(runOf(logOf({"count", "a\xFF", {}, {}})).get("results")).find("a\xEF\xBF\xBD"), std::string::npos);
}

} // namespace ccgraph::report
