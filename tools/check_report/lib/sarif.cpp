#include "check_report/sarif.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

namespace ccgraph::report {
namespace {

using Json = nlohmann::ordered_json;

/// Encodes a path as a URI reference: characters that RFC 3986 reserves, blanks and bytes above 127 as %XX.
std::string uriOf(llvm::StringRef path) {
  std::string uri;
  constexpr llvm::StringLiteral plain = "-._~/:@!$&'()*+,;=";
  constexpr llvm::StringLiteral digits = "0123456789ABCDEF";
  constexpr unsigned halfByte = 4, lowMask = 0xF;
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    if (llvm::isAlnum(c) || plain.contains(c))
      uri += c;
    else
      uri += {'%', digits[byte >> halfByte], digits[byte & lowMask]};
  }
  return uri;
}

Json physicalOf(const SarifPlace &place) {
  Json physical = {{"artifactLocation", {{"uri", uriOf(place.file)}}}};
  if (place.line > 0) {
    physical["region"] = {{"startLine", place.line}};
    if (place.column > 0)
      physical["region"]["startColumn"] = place.column;
  }
  return physical;
}

Json locationOf(const SarifPlace &place) {
  Json location = Json::object();
  if (!place.file.empty())
    location["physicalLocation"] = physicalOf(place);
  if (!place.node.empty())
    location["logicalLocations"] = Json::array({{{"name", place.node}, {"kind", "variable"}}});
  return location;
}

Json relatedOf(const SarifPlace &place, size_t id) {
  Json location = locationOf(place);
  location["id"] = id;
  location["message"] = {{"text", "required here"}};
  return location;
}

bool hasFile(const SarifPlace &place) { return !place.file.empty(); }

/// The location of a result none of whose places has a file: review tools show only results with a file.
Json substituteOf(const SarifResult &result, const std::string &input) {
  auto related = llvm::find_if(result.related, hasFile);
  Json location = locationOf(related == result.related.end() ? SarifPlace{input, 1} : *related);
  for (const SarifPlace &place : result.places)
    if (!place.node.empty())
      location["logicalLocations"].push_back({{"name", place.node}, {"kind", "variable"}});
  return location;
}

Json locationsOf(const SarifResult &result, const std::string &input) {
  if (llvm::none_of(result.places, hasFile))
    return Json::array({substituteOf(result, input)});
  Json locations = Json::array();
  for (const SarifPlace &place : result.places)
    if (hasFile(place))
      locations.push_back(locationOf(place));
  return locations;
}

Json resultOf(const SarifResult &result, const SarifLog &log) {
  Json json = {{"ruleId", result.rule}};
  auto rule = llvm::find_if(log.rules, [&](const auto &one) { return one.first == result.rule; });
  if (rule != log.rules.end())
    json["ruleIndex"] = rule - log.rules.begin();
  json["level"] = "error";
  json["message"] = {{"text", result.message}};
  json["locations"] = locationsOf(result, log.input);
  Json related = Json::array();
  for (const SarifPlace &place : result.related)
    related.push_back(relatedOf(place, related.size() + 1));
  if (!related.empty())
    json["relatedLocations"] = std::move(related);
  return json;
}

} // namespace

void writeSarif(llvm::raw_ostream &os, const SarifLog &log) {
  Json rules = Json::array(), results = Json::array();
  for (const auto &[id, description] : log.rules)
    rules.push_back({{"id", id}, {"fullDescription", {{"text", description}}}});
  for (const SarifResult &result : log.results)
    results.push_back(resultOf(result, log));
  Json driver = {{"name", "ccgraph-check"}, {"version", log.version}, {"rules", std::move(rules)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
  Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}};
  os << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace ccgraph::report
