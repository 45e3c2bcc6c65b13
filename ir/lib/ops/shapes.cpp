#include "ops/knowledge.h"
namespace ccgraph {
void applyShapes(const OpDraft &) {}
void applyWork(const OpDraft &) {}
void forEachShapeKey(llvm::function_ref<void(llvm::StringRef)>) {}
void forEachWorkKey(llvm::function_ref<void(llvm::StringRef)>) {}
} // namespace ccgraph
