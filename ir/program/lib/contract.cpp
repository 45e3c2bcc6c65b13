#include "ccgraph/ir/contract.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {

std::string Bounds::str() const {
  if (isExact())
    return std::to_string(*least);
  if (least && most)
    return std::to_string(*least) + " to " + std::to_string(*most);
  if (least)
    return "at least " + std::to_string(*least);
  return most ? "at most " + std::to_string(*most) : "any number";
}

std::optional<std::string> selectedModule(llvm::StringRef pattern, llvm::StringRef path) {
  if (pattern.empty())
    return "";
  llvm::SmallVector<llvm::StringRef, 8> wanted, given;
  pattern.split(wanted, '.');
  path.split(given, '.');
  if (path.empty() || given.size() < wanted.size())
    return std::nullopt;
  llvm::ArrayRef<llvm::StringRef> selected = llvm::makeArrayRef(given).take_front(wanted.size());
  for (auto [want, have] : llvm::zip(wanted, selected))
    if (want != "*" && want != have)
      return std::nullopt;
  return llvm::join(selected, ".");
}

std::optional<CollectiveKind> parseCollectiveKind(llvm::StringRef name) {
  for (auto kind = uint8_t{0}; kind <= static_cast<uint8_t>(CollectiveKind::Barrier); ++kind)
    if (collectiveName(static_cast<CollectiveKind>(kind)) == name)
      return static_cast<CollectiveKind>(kind);
  return std::nullopt;
}

} // namespace ccgraph
