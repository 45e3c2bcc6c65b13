// Requirements of operators on the numbers in their operands, and the operators that pass these numbers on. Generators
// of inputs use them; safety does not depend on them. An operator that is not here has no requirement.
#include "ccgraph/ir/internal/sign_rule.h"
#include "ops/knowledge.h"

namespace ccgraph {
namespace {

using Into = IndexUse::Into;

struct IndexEntry {
  llvm::StringLiteral key; ///< key or base
  IndexUse use;
};

// {"aten.gather", {2, 0, Stated}}: argument 2 holds indices into argument 0, along the dimension that argument 1
// states. So generated numbers for argument 2 must be below that dimension's size.
constexpr IndexEntry indices[] = {
    {"aten._embedding_bag", {1, 0, Into::First}},
    {"aten._embedding_bag_dense_backward", {1, 5, Into::Number}},
    {"aten._embedding_bag_forward_only", {1, 0, Into::First}},
    {"aten._unsafe_index", {1, 0, Into::Each}},
    {"aten._unsafe_index_put", {1, 0, Into::Each}},
    {"aten._unsafe_masked_index", {2, 0, Into::Each}},
    {"aten._unsafe_masked_index_put_accumulate", {2, 0, Into::Each}},
    {"aten.cross_entropy_loss", {1, 0, Into::Second}},
    {"aten.embedding", {1, 0, Into::First}},
    {"aten.embedding_bag", {1, 0, Into::First}},
    {"aten.embedding_dense_backward", {1, 2, Into::Number}},
    {"aten.embedding_renorm_", {1, 0, Into::First}},
    {"aten.gather", {2, 0, Into::Stated}},
    {"aten.index", {1, 0, Into::Each}},
    {"aten.index_add", {2, 0, Into::Stated}},
    {"aten.index_copy", {2, 0, Into::Stated}},
    {"aten.index_fill", {2, 0, Into::Stated}},
    {"aten.index_fill_", {2, 0, Into::Stated}},
    {"aten.index_put", {1, 0, Into::Each}},
    {"aten.index_put_", {1, 0, Into::Each}},
    {"aten.index_reduce", {2, 0, Into::Stated}},
    {"aten.index_select", {2, 0, Into::Stated}},
    {"aten.multi_margin_loss", {1, 0, Into::Second}},
    {"aten.multi_margin_loss_backward", {2, 1, Into::Second}},
    {"aten.nll_loss", {1, 0, Into::Second}},
    {"aten.nll_loss2d_backward", {2, 1, Into::Second}},
    {"aten.nll_loss2d_forward", {1, 0, Into::Second}},
    {"aten.nll_loss_backward", {2, 1, Into::Second}},
    {"aten.nll_loss_forward", {1, 0, Into::Second}},
    {"aten.nll_loss_nd", {1, 0, Into::Second}},
    {"aten.scatter", {2, 0, Into::Stated}},
    {"aten.scatter_add", {2, 0, Into::Stated}},
    {"aten.scatter_reduce", {2, 0, Into::Stated}},
};

struct ValueEntry {
  llvm::StringLiteral key; ///< key or base
  bool OpDef::*flag;
};

constexpr ValueEntry values[] = {
    {"aten._foreach_add", &OpDef::keepsPositive}, {"aten._foreach_mul", &OpDef::keepsPositive},
    {"aten._fused_adam", &OpDef::wantsPositive},  {"aten._fused_adam_", &OpDef::wantsPositive},
    {"aten._fused_adamw", &OpDef::wantsPositive}, {"aten._fused_adamw_", &OpDef::wantsPositive},
    {"aten._to_copy", &OpDef::keepsValues},       {"aten.add", &OpDef::keepsPositive},
    {"aten.addcmul", &OpDef::keepsPositive},      {"aten.cat", &OpDef::keepsValues},
    {"aten.clone", &OpDef::keepsValues},          {"aten.contiguous", &OpDef::keepsValues},
    {"aten.copy", &OpDef::keepsValues},           {"aten.div", &OpDef::keepsPositive},
    {"aten.lerp", &OpDef::keepsPositive},         {"aten.log", &OpDef::wantsPositive},
    {"aten.log2", &OpDef::wantsPositive},         {"aten.mul", &OpDef::keepsPositive},
    {"aten.rsqrt", &OpDef::wantsPositive},        {"aten.sqrt", &OpDef::wantsPositive},
    {"aten.stack", &OpDef::keepsValues},          {"prims.convert_element_type", &OpDef::keepsValues},
};

struct SignEntry {
  llvm::StringLiteral key; ///< key or base
  SignRule rule;
};

constexpr SignEntry signs[] = {
    {"aten.exp", SignRule::Exponential},    {"aten.mul", SignRule::Product},     {"aten.neg", SignRule::Negation},
    {"aten.pow.Scalar", SignRule::PowerOf}, {"aten.rsub", SignRule::OtherMinus}, {"aten.sub", SignRule::MinusOther},
};

} // namespace

SignRule signRuleOf(const OpDef &op) {
  llvm::StringRef key = op.target.str();
  key.consume_back(".default");
  const SignEntry *entry = findEntry(llvm::ArrayRef(signs), key);
  if (!entry)
    entry = findEntry(llvm::ArrayRef(signs), baseOfTarget(key));
  return entry ? entry->rule : SignRule::None;
}

void applyValues(const OpDraft &draft) {
  OpDef &op = draft.op;
  op.keepsValues = op.isView || op.role == OpRole::Wait || op.role == OpRole::GetItem ||
                   op.role == OpRole::Collective || op.role == OpRole::HostCopy;
  if (const IndexEntry *entry = findEntry(llvm::ArrayRef(indices), draft))
    op.indices = entry->use;
  if (const ValueEntry *entry = findEntry(llvm::ArrayRef(values), draft))
    op.*(entry->flag) = true;
}

} // namespace ccgraph
