#include "driver/graph_list.h"

#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>

namespace ccgraph::driver {
namespace {

constexpr size_t columns = 7;
using Row = std::array<std::string, columns>;

Row rowOf(const ListedGraph &graph, size_t index) {
  auto number = [&](size_t value) { return graph.leftOut.empty() ? withCommas(static_cast<int64_t>(value)) : "-"; };
  return {std::to_string(index),
          graph.rank ? std::to_string(*graph.rank) : "-",
          graph.compileId.empty() ? "-" : visibleText(graph.compileId),
          visibleText(graph.kind),
          number(graph.nodes),
          number(graph.collectives),
          visibleText(graph.leftOut.empty() ? graph.name : graph.name + ": left out: " + graph.leftOut)};
}

bool isNumber(size_t column) { return column == 0 || column == 1 || column == 4 || column == 5; }

void printRow(llvm::raw_ostream &os, const Row &row, const std::array<size_t, columns> &widths) {
  for (size_t i = 0; i != columns; ++i) {
    std::string blanks(i + 1 == columns ? 0 : widths[i] - std::min(widths[i], row[i].size()), ' ');
    os << (i == 0 ? "" : "  ") << (isNumber(i) ? blanks + row[i] : row[i] + blanks);
  }
  os << '\n';
}

} // namespace

void printGraphList(llvm::raw_ostream &os, llvm::ArrayRef<ListedGraph> graphs) {
  std::vector<Row> rows = {{"index", "rank", "compiled", "kind", "nodes", "collectives", "name"}};
  for (size_t i = 0; i != graphs.size(); ++i)
    rows.push_back(rowOf(graphs[i], i));
  std::array<size_t, columns> widths = {};
  for (const Row &row : rows)
    for (size_t i = 0; i != columns; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  bool severalFiles = llvm::any_of(graphs, [&](const ListedGraph &graph) { return graph.file != graphs[0].file; });
  printRow(os, rows.front(), widths);
  for (size_t i = 0; i != graphs.size(); ++i) {
    if (severalFiles && (i == 0 || graphs[i].file != graphs[i - 1].file))
      os << visibleText(graphs[i].file) << ":\n";
    printRow(os, rows[i + 1], widths);
  }
}

} // namespace ccgraph::driver
