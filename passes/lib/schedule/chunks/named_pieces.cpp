#include "schedule/chunks/named_pieces.h"

#include "ccgraph/ir/diagnostic.h"

namespace ccgraph {

llvm::Error NamedPieces::read(const NodeNames &names) {
  names_ = names.names;
  for (const std::string &text : names_) {
    llvm::SmallVector<llvm::StringRef, 4> parts;
    llvm::StringRef(text).split(parts, '.');
    llvm::SmallVector<int64_t, 4> rows(parts.size() - 1);
    bool reads = parts.size() > 2;
    for (size_t i = 1; i < parts.size(); ++i)
      reads &= !parts[i].getAsInteger(10, rows[i - 1]) && rows[i - 1] > 0;
    if (!reads)
      return makeError(diagnose("pass.option",
                                "option 'only' got '" + text +
                                    "', expected a collective and the rows of two or more pieces, as in g.512.1536",
                                "name collectives and rows as --remarks lists them for this pass"));
    rows_[parts[0]] = std::move(rows);
  }
  return llvm::Error::success();
}

llvm::ArrayRef<int64_t> NamedPieces::rowsOf(llvm::StringRef name) const {
  auto named = rows_.find(name);
  return named == rows_.end() ? llvm::ArrayRef<int64_t>() : named->second;
}

llvm::Error NamedPieces::require(llvm::ArrayRef<ChunkPlan> plans) const {
  for (const std::string &text : names_) {
    llvm::StringRef name = llvm::StringRef(text).split('.').first;
    auto isNamed = [&](const ChunkPlan &plan) {
      return plan.chain ? nameOf(*plan.chain) == name : plan.region.launch->name().str() == name;
    };
    if (llvm::none_of(plans, isNamed))
      return makeError(diagnose(
          "pass.option",
          "option 'only' names '" + text + "', which is no collective that can be cut into pieces of these rows",
          "name collectives and rows as --remarks lists them for this pass, or leave the option out"));
  }
  return llvm::Error::success();
}

} // namespace ccgraph
