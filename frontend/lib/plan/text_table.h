// TextTable: cells in aligned columns, two blanks apart.
//
// A column is as wide as its widest cell; the last one is never padded, so no line ends in blanks. Widths are counted
// in bytes; control characters become '?', so that a name breaks no line.
//
// Ownership: keeps its cells. Failure: none. Cost: linear in the text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace ccgraph {

class TextTable {
public:
  enum class Align : uint8_t { Left, Right };

  /// `columns` has a title and a direction for each column.
  explicit TextTable(std::vector<std::pair<std::string, Align>> columns);
  /// Adds a row with as many cells as columns.
  void add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<Align> align_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_; ///< the titles first
};

} // namespace ccgraph
