#include "ccgraph/frontend/torch_export.h"

#include "ccgraph/ir/text.h"
#include "fx_text/writable.h"
#include "torch_export/archive.h"
#include "torch_export/export_scope.h"
#include "json/json_parser.h"
#include "json/json_text.h"

namespace ccgraph {
namespace {

/// Takes the file as one value: types follow the nodes that have them.
class WholeFile final : public JsonSink {
public:
  WholeFile(Graph &graph, JsonReport &report, NodePlaces *places) : graph_(graph), report_(report), places_(places) {}

  bool enter(const JsonOpening &) override { return false; }
  void leave() override {}
  bool value(const JsonValue &value) override {
    if (!value.is(JsonKind::Object))
      report_.expected(value, "an exported program: an object with graph_module and schema_version");
    else if (isOfKnownSchema(value))
      read(value);
    return true;
  }

private:
  bool isOfKnownSchema(const JsonValue &program) {
    const JsonValue *version = requiredMember(report_, program, "schema_version");
    const JsonValue *major = version ? requiredMember(report_, *version, "major") : nullptr;
    const JsonValue *minor = version ? requiredMember(report_, *version, "minor") : nullptr;
    std::optional<int64_t> number = major ? report_.integer(*major, "the major version of the schema") : std::nullopt;
    std::optional<int64_t> revision = minor ? report_.integer(*minor, "the minor version of the schema") : std::nullopt;
    if (!number || !revision)
      return false;
    if (*number != exportMajor) {
      report_.error(
          major->offset,
          "got a program of schema " + std::to_string(*number) + "." + std::to_string(*revision) + ", expected " +
              std::to_string(exportMajor) + "." + std::to_string(exportMinor),
          "export it with PyTorch 2.5 or later, whose files have schema 8, or print the graph: print_readable()");
      return false;
    }
    if (*revision > exportMinor)
      report_.warning(minor->offset,
                      "got a program of schema " + std::to_string(*number) + "." + std::to_string(*revision) +
                          ", and " + std::to_string(exportMajor) + "." + std::to_string(exportMinor) +
                          " is the latest that is known",
                      "unknown parts are kept unchanged");
    return true;
  }

  static bool isKnown(llvm::StringRef key) {
    return key == "graph_module" || key == "schema_version" || key == "opset_version" || key == "verifiers" ||
           key == "guards_code" || key == "range_constraints";
  }

  /// Keeps a member under a name that no key of ours has.
  void keep(const JsonValue &member) {
    Identifier name = graph_.context().identifier(("export." + member.key).str());
    std::string text = canonicalJson(report_.source().text, member);
    if (llvm::none_of(graph_.attributes, [&](const auto &kept) { return kept.first == name; }))
      graph_.attributes.emplace_back(name, graph_.context().identifier(text));
  }

  void read(const JsonValue &program) {
    for (const JsonValue &member : program.elements())
      if (!isKnown(member.key))
        keep(member);
    const JsonValue *module = requiredMember(report_, program, "graph_module");
    const JsonValue *exported = module ? requiredMember(report_, *module, "graph") : nullptr;
    if (!exported)
      return;
    ExportSession session{graph_.context(), report_, places_};
    readExportGraph(session, graph_, *exported, module->member("signature"));
  }

  Graph &graph_;
  JsonReport &report_;
  NodePlaces *places_;
};

/// Adds the name of the file to the diagnostics.
llvm::Error inFile(const std::string &name, llvm::Error error) {
  std::vector<Diagnostic> found;
  llvm::handleAllErrors(std::move(error), [&](const DiagnosticError &known) { found = known.diagnostics().vec(); });
  for (Diagnostic &diagnostic : found)
    diagnostic.file = name;
  return makeError(std::move(found));
}

void list(const SourceText &source, const Graph &graph, const ReadOptions &options) {
  if (!options.listed)
    return;
  ListedGraph &entry = options.listed->emplace_back();
  entry.file = source.name;
  entry.line = 1;
  entry.kind = "torch.export";
  entry.inPayload = options.listed->size() - 1;
  describeGraph(graph, entry);
}

} // namespace

// Tests for the keys that PyTorch writes first; a graph of ours begins with its format.
bool isExportJson(llvm::StringRef text) {
  constexpr size_t front = 4096;
  llvm::StringRef beginning = text.ltrim().take_front(front);
  return beginning.startswith("{") && beginning.contains("\"graph_module\"") && !beginning.contains("\"ccgraph.");
}

llvm::Expected<std::unique_ptr<Graph>> readExportJson(Context &context, const SourceText &source,
                                                      const ReadOptions &options) {
  auto graph = std::make_unique<Graph>(context);
  JsonReport report(source, options.errorLimit);
  WholeFile sink(*graph, report, options.places);
  llvm::Error error = report.take(parseJson(source, sink));
  report.giveWarnings(options.warnings);
  if (error)
    return error;
  // The names of an archive may be any text, and only this reader checks them.
  if (llvm::Error unwritable = fx::checkWritable(*graph))
    return inFile(source.name, std::move(unwritable));
  list(source, *graph, options);
  return graph;
}

llvm::Expected<GraphList> readExportArchive(Context &context, const SourceText &source, const ReadOptions &options) {
  llvm::Expected<std::vector<ArchivedModel>> models = readModels(source);
  if (!models)
    return models.takeError();
  GraphList graphs;
  for (const ArchivedModel &model : *models) {
    ReadOptions own = options;
    own.places = nullptr; // they would be places in a text that the user does not have
    own.listed = nullptr;
    SourceText text{source.name + "/" + model.entry, model.text};
    llvm::Expected<std::unique_ptr<Graph>> graph = readExportJson(context, text, own);
    if (!graph)
      return graph.takeError();
    (*graph)->setName(visibleText(model.name));
    list(source, **graph, options);
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

} // namespace ccgraph
