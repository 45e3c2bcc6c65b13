#include "chain.h"
#include "computed_terms.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace ccgraph::legality {

uint32_t Terms::internRows(RowTerm term) {
  auto known = llvm::find_if(rowTerms_, [&](const RowTerm &other) {
    return other.result == term.result && other.operands == term.operands && sameCalls(other.call, term.call);
  });
  if (known == rowTerms_.end())
    known = rowTerms_.insert(known, std::move(term));
  auto number = static_cast<uint32_t>(known - rowTerms_.begin());
  return intern({.kind = Term::Kind::Own, .step = computedStep({Computed::Kind::Rows, number})});
}

namespace {

/// Strides of dimensions of size 1 have no meaning.
bool isContiguous(const Layout &value) {
  const IntList strides = rowMajor(value.sizes);
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (value.sizes[dim] != 1 && value.strides[dim] != strides[dim])
      return false;
  return value.stridesKnown;
}

} // namespace

struct Terms::RowCursor {
  const Layout &value;
  size_t run = 0;
  int64_t used = 0; ///< elements of that run
  [[nodiscard]] int64_t columns() const { return value.sizes.back(); }
  /// Returns the rows that are left of the run; empty unless it consists of whole rows.
  [[nodiscard]] std::optional<int64_t> rowsLeft() const {
    const Run &at = (*value.runs)[run];
    const bool whole = at.start % columns() == 0 && at.count % columns() == 0 && at.perRank % columns() == 0;
    return whole ? std::optional((at.count - used) / columns()) : std::nullopt;
  }
  [[nodiscard]] RowOperand operand() const {
    const Run &at = (*value.runs)[run];
    return {true, at.source, (at.start + used) / columns(), at.perRank / columns(), columns(), {}, {}};
  }
  void pass(int64_t rows) {
    used += rows * columns();
    if (used == (*value.runs)[run].count)
      ++run, used = 0;
  }
};

// For x = own x from 1, 2 elements, the cast is "x cast from 1, 2 elements": elements of one operand need not form
// whole rows.
Layout Terms::elements(const RowCall &call, llvm::ArrayRef<const Layout *> operands) {
  const Layout &value = *operands.front();
  RowTerm term{call, 0, {{}}};
  for (const Layout *number : operands.drop_front())
    term.operands.push_back({false, 0, 0, 0, 0, number->sizes, *number->runs});
  Runs runs;
  std::optional<uint32_t> source; // of the run before
  uint32_t result = 0;
  for (Run run : *value.runs) {
    if (source != run.source) {
      source = run.source;
      term.operands.front() = {true, run.source, 0, 0, 0, {}, {}};
      result = internRows(term);
    }
    run.source = result;
    append(runs, run);
  }
  Layout layout = contiguous(value.sizes, std::move(runs));
  layout.stridesKnown = isContiguous(value);
  return layout;
}

// For x = own x from 0, 8 elements as f32[2, 4] and y = sum of y from 8 * rank, 8 elements, the sum is "x + (sum of y
// that begins 2 * rank rows later) from 0, 8 elements". A piece with the second row of both is the same term from 4.
std::optional<llvm::SmallVector<Layout, 1>> Terms::rows(const RowCall &call, llvm::ArrayRef<const Layout *> operands) {
  if (call.byElement)
    return llvm::SmallVector<Layout, 1>{elements(call, operands)};
  llvm::SmallVector<RowCursor, 2> cursors;
  bool contiguousRows = true;
  for (const Layout *operand : operands) {
    if (operand->sizes.size() < 2)
      continue;
    if (operand->numElements() == 0)
      return std::nullopt;
    cursors.push_back({*operand});
    contiguousRows &= isContiguous(*operand);
  }
  std::vector<Runs> results(call.results.size());
  while (cursors.front().run < cursors.front().value.runs->size()) {
    int64_t rows = std::numeric_limits<int64_t>::max();
    for (const RowCursor &cursor : cursors) {
      std::optional<int64_t> left = cursor.rowsLeft();
      if (!left)
        return std::nullopt;
      rows = std::min(rows, *left);
    }
    const RowOperand first = cursors.front().operand();
    RowTerm term{call, 0, {}};
    const RowCursor *cursor = cursors.begin();
    for (const Layout *operand : operands) {
      if (operand->sizes.size() < 2) {
        term.operands.push_back({false, 0, 0, 0, 0, operand->sizes, *operand->runs});
        continue;
      }
      RowOperand own = cursor++->operand();
      own.start -= first.start;
      own.perRank -= first.perRank;
      term.operands.push_back(std::move(own));
    }
    for (term.result = 0; term.result < results.size(); ++term.result) {
      const int64_t columns = call.results[term.result].back();
      append(results[term.result],
             {0, first.start * columns, rows * columns, internRows(term), false, first.perRank * columns});
    }
    for (RowCursor &passed : cursors)
      passed.pass(rows);
  }
  llvm::SmallVector<Layout, 1> layouts;
  for (size_t i = 0; i < results.size(); ++i) {
    layouts.push_back(contiguous(call.results[i], std::move(results[i])));
    layouts.back().stridesKnown = contiguousRows;
  }
  return layouts;
}

} // namespace ccgraph::legality
