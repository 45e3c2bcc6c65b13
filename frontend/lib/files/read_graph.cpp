#include "ccgraph/frontend/read_graph.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/frontend/torch_export.h"

namespace ccgraph {
namespace {

llvm::Expected<GraphList> one(llvm::Expected<std::unique_ptr<Graph>> graph) {
  if (!graph)
    return graph.takeError();
  GraphList graphs;
  graphs.push_back(std::move(*graph));
  return graphs;
}

llvm::Expected<GraphList> readOneJsonGraph(Context &context, const SourceText &source, const ReadOptions &options) {
  auto graph = readJsonGraph(context, source, options);
  if (!graph)
    return graph.takeError();
  if (options.listed) {
    ListedGraph &entry = options.listed->emplace_back();
    entry.file = source.name;
    entry.line = 1;
    entry.kind = "ccgraph.graph";
    describeGraph(**graph, entry);
  }
  return one(std::move(graph));
}

/// Files that users often give by mistake, with their first bytes.
struct Stranger {
  llvm::StringLiteral start;
  llvm::StringLiteral what;
  llvm::StringLiteral repair;
};
constexpr llvm::StringLiteral printInstead =
    "print the module instead: module.print_readable(include_stride=True, include_device=True)";
constexpr Stranger strangers[] = {
    {"graph():", "what print(graph) prints", printInstead},
    {"graph(%", "TorchScript", printInstead},
    {"opcode ", "what print_tabular() prints", printInstead},
    {"# AOT ID", "the code that Inductor generates", "give its graph instead: TORCH_LOGS=aot_graphs,post_grad_graphs"},
    {"HloModule", "a program of XLA", "ccgraph reads graphs of PyTorch only"},
    {"module @", "a program of MLIR", "ccgraph reads graphs of PyTorch only"},
    {"\xfd"
     "7zXZ",
     "a file of xz", "decompress it: xz -d"},
    {"BZh", "a file of bzip2", "decompress it: bzip2 -d"},
    {"\x28\xb5\x2f\xfd", "a file of zstd", "decompress it: zstd -d"},
    {"\x80", "a pickle", "print the graph instead: print_readable(), or TORCH_LOGS=aot_graphs"},
    {"\xff\xfe", "UTF-16 text", "save it as UTF-8"},
    {"\xfe\xff", "UTF-16 text", "save it as UTF-8"},
    {"<", "a web page or XML", "a server may have sent it instead of the file: look into it"},
};

/// JSON of other programs, with a word from near its beginning.
constexpr Stranger jsonStrangers[] = {
    {"\"traceEvents\"", "a trace of Kineto or Chrome",
     "a trace contains the times of kernels, not the graph: give the graph of the step"},
    {"\"ph\"", "a trace of Kineto or Chrome",
     "a trace contains the times of kernels, not the graph: give the graph of the step"},
    {"\"opsetImport\"", "an ONNX model in JSON",
     "ONNX has no collectives of PyTorch: give the graph that it was exported from"},
    {"\"opset_import\"", "an ONNX model in JSON",
     "ONNX has no collectives of PyTorch: give the graph that it was exported from"},
    {"\"nbformat\"", "a notebook", "give what a cell of it printed"},
};

/// Returns the known kind of foreign JSON; null for a graph of ours and for unknown JSON.
const Stranger *knownJson(llvm::StringRef text) {
  constexpr size_t front = 4096;
  llvm::StringRef beginning = text.take_front(front);
  if (beginning.contains("ccgraph."))
    return nullptr;
  const auto *found =
      llvm::find_if(jsonStrangers, [&](const Stranger &stranger) { return beginning.contains(stranger.start); });
  return found == std::end(jsonStrangers) ? nullptr : found;
}

llvm::Error strangerError(const SourceText &source, const Stranger &stranger) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.message = "got " + stranger.what.str() + ", expected a graph";
  diagnostic.notes.push_back(stranger.repair.str());
  return makeError(std::move(diagnostic));
}

/// Names the kind of a text in an error. For a saved module or an archive it also explains how to print the contained
/// graph.
std::string whatItIs(llvm::StringRef text, Diagnostic &diagnostic) {
  if (text.trim().empty())
    return "this file is empty: expected a graph";
  for (const Stranger &stranger : strangers)
    if (text.ltrim().startswith(stranger.start)) {
      diagnostic.notes.push_back(stranger.repair.str());
      return "got " + stranger.what.str() + ", expected a graph";
    }
  return "this is no graph: expected a JSON object or Python text with 'def forward('";
}

llvm::Error unknownFormat(const SourceText &source) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.message = whatItIs(source.text, diagnostic);
  diagnostic.notes.push_back("ccgraph reads ccgraph.graph JSON, .pt2 files of torch.export, and what print_readable(), "
                             "TORCH_LOGS=aot_graphs and torch.compile's debug folders print; each may be gzipped");
  return makeError(std::move(diagnostic));
}

} // namespace

// "def forward(" may be anywhere, because a log begins with any output of the program. The brace is tested first,
// because a graph file may contain those words too, in the code of a frame.
std::optional<GraphFormat> detectGraphFormat(llvm::StringRef text) {
  if (isZip(text))
    return GraphFormat::ExportArchive;
  text.consume_front("\xef\xbb\xbf"); // a byte order mark, which some editors put first
  if (isExportJson(text))
    return GraphFormat::ExportJson;
  if (text.ltrim().startswith("{"))
    return GraphFormat::Json;
  if (text.contains("def forward("))
    return GraphFormat::FxText;
  return std::nullopt;
}

llvm::Expected<GraphList> readGraphs(Context &context, const SourceText &source, const ReadOptions &options) {
  auto format = detectGraphFormat(source.text);
  bool isJson = format == GraphFormat::Json || source.text.ltrim().startswith("[");
  if (const Stranger *stranger = isJson ? knownJson(source.text) : nullptr)
    return strangerError(source, *stranger);
  if (!format)
    return unknownFormat(source);
  switch (*format) {
  case GraphFormat::Json:
    return readOneJsonGraph(context, source, options);
  case GraphFormat::FxText:
    return readFxText(context, source, options);
  case GraphFormat::ExportArchive:
    return readExportArchive(context, source, options);
  case GraphFormat::ExportJson:
    return one(readExportJson(context, source, options));
  }
  llvm_unreachable("all formats are handled");
}

} // namespace ccgraph
