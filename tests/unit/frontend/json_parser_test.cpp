// Tests that the parser agrees with another JSON library on every text: the same values, or invalid JSON.
#include "json/json_parser.h"
#include "json/json_syntax.h"

#include "ccgraph/frontend/files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

using namespace ccgraph;
using Json = nlohmann::ordered_json;

namespace {

/// Accepts everything: containers down to level `streamed` member by member, others whole.
class Collector final : public JsonSink {
public:
  explicit Collector(unsigned streamed) : streamed_(streamed) {}

  bool enter(const JsonOpening &opening) override {
    if (open_.size() >= streamed_)
      return false;
    open_.emplace_back(opening.key.str(), opening.kind == JsonKind::Array ? Json::array() : Json::object());
    return true;
  }
  void leave() override {
    auto [key, value] = std::move(open_.back());
    open_.pop_back();
    add(key, std::move(value));
  }
  bool value(const JsonValue &value) override {
    add(value.key.str(), read(value));
    return true;
  }

  std::vector<Json> roots;

private:
  void add(const std::string &key, Json value) {
    if (open_.empty())
      roots.push_back(std::move(value));
    else
      put(open_.back().second, key, std::move(value));
  }
  static void put(Json &container, const std::string &key, Json value) {
    if (container.is_array())
      container.push_back(std::move(value));
    else
      container[key] = std::move(value); // of two equal keys, the last one counts in both libraries
  }
  static Json read(const JsonValue &value) {
    switch (value.kind) {
    case JsonKind::Null:
      return nullptr;
    case JsonKind::Bool:
      return value.boolean;
    case JsonKind::Integer:
      return value.integer;
    case JsonKind::Float:
      return value.real;
    case JsonKind::HugeInteger:
      return Json::parse(value.text.str());
    case JsonKind::String:
      return value.text.str();
    case JsonKind::Array:
    case JsonKind::Object:
      break;
    }
    Json container = value.is(JsonKind::Array) ? Json::array() : Json::object();
    for (const JsonValue &member : value.elements())
      put(container, member.key.str(), read(member));
    return container;
  }

  unsigned streamed_;
  std::vector<std::pair<std::string, Json>> open_;
};

/// Returns whether the text is JSON. Both parsers must agree, whatever is streamed.
bool agreed(const std::string &text) {
  Json wanted = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  llvm::Error syntax = jsonSyntaxError({"t.json", text});
  EXPECT_EQ(static_cast<bool>(syntax), wanted.is_discarded()) << text;
  llvm::consumeError(std::move(syntax));
  for (unsigned streamed : {0U, 1U, 2U}) {
    Collector sink(streamed);
    llvm::Error error = parseJson({"t.json", text}, sink);
    EXPECT_EQ(static_cast<bool>(error), wanted.is_discarded()) << text;
    if (!error) {
      EXPECT_EQ(sink.roots.size(), 1U) << text;
      EXPECT_TRUE(!sink.roots.empty() && sink.roots.front() == wanted) << text;
    }
    llvm::consumeError(std::move(error));
  }
  return !wanted.is_discarded();
}

} // namespace

TEST(JsonParser, ReadsWhatIsJson) {
  for (const char *text : {"1",
                           " -0 ",
                           "0.5",
                           "-1e3",
                           "1E+2",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "9223372036854775808",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "123456789012345678901234567890",
                           "true",
                           "null",
                           "\"a\"",
                           "[]",
                           "{}",
                           "[ ]",
                           "[[],{}]",
                           "{\"a\" : [1, 2.5, null], \"b\":{\"c\":\"\"}}",
                           R"(["\u00e9\n\"\\\/", "\ud83d\ude00"])",
                           R"({"a\"b": 1, "\u0061": 2, "a": 3})",
                           "\xef\xbb\xbf[1]",
                           "\"\xc3\xa9\"",
                           "[1]\n\n",
                           "{\"a\":1,\"a\":2}",
                           "[1e-400]",
                           "[\"\x7f\"]"})
    EXPECT_TRUE(agreed(text)) << text;
}

TEST(JsonParser, RefusesWhatIsNot) {
  for (const char *text : {"",
                           " ",
                           "[",
                           "]",
                           "{",
                           "}",
                           "[1",
                           "[1,]",
                           "[,1]",
                           "[1,,2]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{1:2}",
                           "{\"a\" 1}",
                           "[1}",
                           "{\"a\":1]",
                           "[1] 2",
                           "[1]]",
                           "01",
                           "-",
                           "+1",
                           "1.",
                           ".5",
                           "1e",
                           "1e999",
                           "-01",
                           "NaN",
                           "nul",
                           "nulll",
                           "tru",
                           "truee",
                           "'a'",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           R"("\ud83d")",
                           R"("\ud83dx")",
                           "\"a\nb\"",
                           "\"\xff\"",
                           "\"\xc3\"",
                           "[\"a\" \"b\"]",
                           "[1,\n// no\n2]",
                           "{\"a\":1 \"b\":2}",
                           "[\x01]",
                           "1 1",
                           "00000000000000000000",
                           "0x10",
                           "[-]",
                           "{\"a\":01}",
                           "[99999999999999999999x]",
                           "\"\\",
                           "{\"a\": \"b\"\"c\"}"})
    EXPECT_FALSE(agreed(text)) << text;
}

TEST(JsonParser, AgreesOnBrokenFiles) {
  auto file = InputFile::open(CCGRAPH_TEST_DATA "/json/every-feature.json");
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  std::string text = file->text().str();
  std::mt19937 random(11);
  const std::string bytes = "{}[],:\"\\ 0123e-.tn\n\xff";
  size_t valid = 0;
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    std::string changed = text;
    for (unsigned edits = 1 + random() % 2; edits > 0; --edits)
      changed[random() % changed.size()] = bytes[random() % bytes.size()];
    valid += agreed(changed);
  }
  EXPECT_GT(valid, 100U) << "some edits are in texts and numbers";
}

TEST(JsonParser, NeedsNoSlackAndUsesNoneOfIt) {
  std::string text = "[1, 23]456" + std::string(100, '7');
  for (size_t slack : {size_t(0), text.size() - 7}) {
    Collector sink(0);
    ASSERT_FALSE(static_cast<bool>(parseJson({"t.json", llvm::StringRef(text).take_front(7), slack}, sink)));
    ASSERT_EQ(sink.roots.size(), 1U);
    EXPECT_EQ(sink.roots.front(), Json::parse("[1, 23]"));
  }
}

TEST(JsonParser, KnowsWhereContainersEnd) {
  class Ends final : public JsonSink {
  public:
    bool enter(const JsonOpening &opening) override { return opening.offset == 0; }
    void leave() override {}
    bool value(const JsonValue &value) override {
      places.emplace_back(value.offset, value.end);
      return true;
    }
    std::vector<std::pair<size_t, size_t>> places;
  } sink;
  //                     0123456789012345678
  llvm::StringRef text = "[ [1 ] , {}  , [[]]]";
  ASSERT_FALSE(static_cast<bool>(parseJson({"t.json", text}, sink)));
  EXPECT_EQ(sink.places, (std::vector<std::pair<size_t, size_t>>{{2, 6}, {9, 11}, {15, 19}}));
}
