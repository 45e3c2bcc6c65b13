#include "ccgraph/ir/writing_forms.h"

namespace ccgraph {
namespace {

struct WritingOperator {
  CollectiveKind kind;
  WritingForm form;
  llvm::StringLiteral target;
};

constexpr WritingOperator operators[] = {
    {CollectiveKind::AllReduce, WritingForm::InPlace, "_c10d_functional.all_reduce_.default"},
    {CollectiveKind::AllReduce, WritingForm::InPlaceList, "_c10d_functional.all_reduce_coalesced_.default"},
    {CollectiveKind::Broadcast, WritingForm::InPlace, "_c10d_functional.broadcast_.default"},
    {CollectiveKind::AllGather, WritingForm::Out, "_c10d_functional.all_gather_into_tensor_out.default"},
    {CollectiveKind::ReduceScatter, WritingForm::Out, "_c10d_functional.reduce_scatter_tensor_out.default"},
};

} // namespace

llvm::StringRef writingFormOf(CollectiveKind kind, WritingForm form) {
  for (const WritingOperator &one : operators)
    if (one.kind == kind && one.form == form)
      return one.target;
  return {};
}

} // namespace ccgraph
