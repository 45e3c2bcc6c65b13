#include "ops/knowledge.h"
#include "ops/shapes/shape_rule.h"

namespace ccgraph {
void applyShapes(const OpDraft &draft) {
  OpDef &op = draft.op;
  if (op.role == OpRole::Collective)
    op.shape = collectiveShape;
  if (op.role == OpRole::Wait)
    op.shape = waitShape;
  if (op.role == OpRole::GetItem)
    op.shape = getItemShape;
}
void applyWork(const OpDraft &) {}
void forEachShapeKey(llvm::function_ref<void(llvm::StringRef)>) {}
void forEachWorkKey(llvm::function_ref<void(llvm::StringRef)>) {}
} // namespace ccgraph
