#include "ccgraph/frontend/guards.h"

#include "ccgraph/ir/diagnostic.h"
#include "json/json_text.h"

#include <nlohmann/json.hpp>

namespace ccgraph {
namespace {

using Json = nlohmann::ordered_json;

constexpr llvm::StringLiteral memberName = "guards";

/// One blank after each ',' and ':', as the format's other values are spelled.
std::string spelled(const Json &value) {
  if (!value.is_array())
    return value.dump();
  std::string text;
  for (const Json &element : value)
    text += (text.empty() ? "" : ", ") + element.dump();
  return "[" + text + "]";
}

llvm::Error syntaxError(const std::string &got) {
  Diagnostic diagnostic;
  diagnostic.rule = "guards.syntax";
  diagnostic.where = "guards";
  diagnostic.message = "expected a list of {\"fact\": ..., \"of\": ..., \"value\": ...}, got " + got;
  return makeError(std::move(diagnostic));
}

/// A text member of a guard; empty where it is none.
std::string textOf(const Json &guard, const char *name) {
  auto found = guard.find(name);
  return found != guard.end() && found->is_string() ? found->get<std::string>() : "";
}

/// What a fact is of a graph as it is; empty where nobody can tell.
std::optional<Json> factOf(const Graph &graph, const Guard &guard) {
  const Group *group = graph.groups().find(guard.of);
  if (graph.groups().empty())
    return std::nullopt;
  if (guard.fact == "name")
    return group ? Json(group->name) : Json(nullptr);
  if (!group)
    return Json(nullptr);
  if (guard.fact == "tag")
    return Json(group->tag);
  if (guard.fact == "size")
    return group->size() ? std::optional<Json>(*group->size()) : std::nullopt;
  // Because a rank is one of its cell only, and a list of ranks is the same for all.
  if (!graph.rank && (guard.fact != "ranks" || !group->partition.empty()))
    return std::nullopt;
  llvm::ArrayRef<int64_t> members = group->members(graph.rank.value_or(0));
  if (guard.fact == "ranks")
    return Json(members.vec());
  const auto *found = llvm::find(members, *graph.rank);
  if (guard.fact == "member")
    return Json(found != members.end());
  if (guard.fact == "rank")
    return Json(found != members.end() ? found - members.begin() : -1);
  return std::nullopt;
}

std::optional<Diagnostic> contradiction(const Graph &graph, const Guard &guard) {
  std::optional<Json> now = factOf(graph, guard);
  if (!now || spelled(*now) == guard.value)
    return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.rule = "guards.fact";
  diagnostic.where = "group " + guard.of;
  diagnostic.message = "the graph was traced with " + guard.fact + " " + guard.value + ", and " +
                       (now->is_null() ? "there is no such group" : "it is " + spelled(*now)) + " now";
  diagnostic.notes.push_back("trace the program again where it runs, or give it the groups that it was traced with");
  return diagnostic;
}

} // namespace

void setGuards(Graph &graph, const std::vector<Guard> &guards) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Guard &guard : guards) {
    os << (text.empty() ? "[" : ", ") << "{\"fact\": ";
    writeJsonString(os, guard.fact);
    os << ", \"of\": ";
    writeJsonString(os, guard.of);
    os << ", \"value\": " << guard.value << '}';
  }
  os << ']';
  setGuardsText(graph, guards.empty() ? "" : os.str());
}

static bool isGuards(const std::pair<Identifier, Identifier> &attribute) { return attribute.first.str() == memberName; }

void setGuardsText(Graph &graph, llvm::StringRef text) {
  llvm::erase_if(graph.attributes, isGuards);
  if (!text.empty())
    graph.attributes.emplace_back(graph.context().identifier(memberName), graph.context().identifier(text));
}

llvm::StringRef guardsText(const Graph &graph) {
  auto found = llvm::find_if(graph.attributes, isGuards);
  return found == graph.attributes.end() ? "" : found->second.str();
}

llvm::Expected<std::vector<Guard>> guardsOf(const Graph &graph) {
  std::vector<Guard> guards;
  for (const auto &[name, text] : graph.attributes) {
    if (name.str() != memberName)
      continue;
    Json list = Json::parse(text.str().begin(), text.str().end(), nullptr, /*allow_exceptions=*/false);
    if (!list.is_array())
      return syntaxError(text.str().str());
    for (const Json &entry : list) {
      Guard guard{textOf(entry, "fact"), textOf(entry, "of"), entry.contains("value") ? spelled(entry["value"]) : ""};
      if (guard.fact.empty() || guard.of.empty() || guard.value.empty())
        return syntaxError(entry.dump());
      guards.push_back(std::move(guard));
    }
  }
  return guards;
}

llvm::Error checkGuards(const Graph &graph) {
  llvm::Expected<std::vector<Guard>> guards = guardsOf(graph);
  if (!guards)
    return guards.takeError();
  std::vector<Diagnostic> found;
  for (const Guard &guard : *guards)
    if (std::optional<Diagnostic> wrong = contradiction(graph, guard))
      found.push_back(std::move(*wrong));
  return found.empty() ? llvm::Error::success() : makeError(std::move(found));
}

} // namespace ccgraph
