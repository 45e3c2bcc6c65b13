#include "ccgraph/ir/value_names.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral input = "in.", attribute = "attr.", output = "out.", after = "after.";

std::string named(llvm::StringRef kind, llvm::StringRef name) { return (kind + name).str(); }

std::optional<llvm::StringRef> withoutKind(llvm::StringRef kind, llvm::StringRef name) {
  return name.consume_front(kind) ? std::optional(name) : std::nullopt;
}

} // namespace

std::string inputName(llvm::StringRef placeholder) { return named(input, placeholder); }
std::string attributeName(llvm::StringRef target) { return named(attribute, target); }
std::string outputName(size_t index) { return named(output, std::to_string(index)); }
std::string afterName(llvm::StringRef placeholder) { return named(after, placeholder); }

std::optional<llvm::StringRef> placeholderOfInput(llvm::StringRef name) { return withoutKind(input, name); }
std::optional<llvm::StringRef> placeholderOfAfter(llvm::StringRef name) { return withoutKind(after, name); }
bool isAttributeName(llvm::StringRef name) { return name.startswith(attribute); }
bool isResultName(llvm::StringRef name) { return name.startswith(output) || name.startswith(after); }

} // namespace ccgraph
