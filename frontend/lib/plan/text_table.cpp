#include "plan/text_table.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cassert>

namespace ccgraph {

TextTable::TextTable(std::vector<std::pair<std::string, Align>> columns) {
  std::vector<std::string> titles;
  for (auto &[title, align] : columns) {
    titles.push_back(std::move(title));
    align_.push_back(align);
  }
  widths_.resize(align_.size());
  add(std::move(titles));
}

void TextTable::add(std::vector<std::string> cells) {
  assert(cells.size() == align_.size() && "a cell a column");
  for (size_t i = 0; i < cells.size(); ++i) {
    std::replace_if(
        cells[i].begin(), cells[i].end(), [](char c) { return llvm::isASCII(c) && !llvm::isPrint(c); }, '?');
    widths_[i] = std::max(widths_[i], cells[i].size());
  }
  rows_.push_back(std::move(cells));
}

void TextTable::print(llvm::raw_ostream &os) const {
  for (const std::vector<std::string> &row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string blanks(widths_[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (align_[i] == Align::Right ? blanks + row[i] : row[i] + blanks);
    }
    os << llvm::StringRef(line).rtrim(' ') << '\n';
  }
}

} // namespace ccgraph
