#include "ccgraph/frontend/read_graph.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"

namespace ccgraph {
namespace {

llvm::Expected<GraphList> readOneJsonGraph(Context &context, const SourceText &source, const ReadOptions &options) {
  auto graph = readJsonGraph(context, source, options);
  if (!graph)
    return graph.takeError();
  GraphList graphs;
  graphs.push_back(std::move(*graph));
  return graphs;
}

llvm::Error unknownFormat(const SourceText &source) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.message = source.text.trim().empty()
                           ? "this file is empty: expected a graph"
                           : "this is no graph: expected a JSON object or Python text with 'def forward('";
  diagnostic.notes.push_back("read are ccgraph.graph JSON, and what print_readable(), TORCH_LOGS=aot_graphs "
                             "and torch.compile's debug folders print; each may be gzipped");
  return makeError(std::move(diagnostic));
}

} // namespace

std::optional<GraphFormat> detectGraphFormat(llvm::StringRef text) {
  text.consume_front("\xef\xbb\xbf"); // a byte order mark, which some editors put first
  if (text.ltrim().startswith("{"))
    return GraphFormat::Json;
  if (text.contains("def forward("))
    return GraphFormat::FxText;
  return std::nullopt;
}

llvm::Expected<GraphList> readGraphs(Context &context, const SourceText &source, const ReadOptions &options) {
  auto format = detectGraphFormat(source.text);
  if (!format)
    return unknownFormat(source);
  switch (*format) {
  case GraphFormat::Json:
    return readOneJsonGraph(context, source, options);
  case GraphFormat::FxText:
    return readFxText(context, source, options);
  }
  llvm_unreachable("all formats are handled");
}

} // namespace ccgraph
