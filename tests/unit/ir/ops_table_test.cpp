// Tests the operator table: every schema parses, every form of a name finds its operator, and facts without a schema
// are declared.
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/writing_forms.h"

#include "ops/knowledge.h"
#include "ops/schema.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

class OpTableTest : public testing::Test {
protected:
  const OpDef &op(llvm::StringRef target) { return *context_.ops().lookup(target); }
  Access access(llvm::StringRef target, llvm::StringRef param) {
    const OpDef &def = op(target);
    int index = def.paramIndex(param);
    EXPECT_GE(index, 0) << target.str() << " has no parameter " << param.str();
    return index < 0 ? Access::Nothing : def.params[index].access;
  }
  std::string declareError(llvm::StringRef schema) { return llvm::toString(context_.ops().declare({schema.str()})); }

  Context context_;
};

constexpr Access readWriteAlias = Access::Read | Access::Write | Access::Alias;

TEST_F(OpTableTest, FormsOfCollectivesAreOperatorsOfTheTable) {
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                              CollectiveKind::AllToAll, CollectiveKind::Broadcast})
    for (CollectiveForm form : {CollectiveForm::Single, CollectiveForm::List}) {
      llvm::StringRef target = formOf(kind, form);
      if (target.empty())
        continue;
      const OpDef &def = op(target);
      ASSERT_TRUE(def.collective.has_value()) << target.str();
      EXPECT_EQ(def.collective->kind, kind);
      EXPECT_EQ(def.collective->coalesced, form == CollectiveForm::List);
      EXPECT_TRUE(!def.collective->inPlace && def.collective->output < 0 && !def.collective->synchronous);
    }
  EXPECT_EQ(formOf(CollectiveKind::AllToAll, CollectiveForm::List), "");
  EXPECT_EQ(formOf(CollectiveKind::Send, CollectiveForm::Single), "");
}

TEST_F(OpTableTest, WritingFormsAreOperatorsOfTheTableWithTheParametersOfTheFunctionalForms) {
  unsigned forms = 0;
  for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                              CollectiveKind::AllToAll, CollectiveKind::Broadcast})
    for (WritingForm form : {WritingForm::InPlace, WritingForm::InPlaceList, WritingForm::Out}) {
      llvm::StringRef target = writingFormOf(kind, form);
      if (target.empty())
        continue;
      ++forms;
      const OpDef &def = op(target);
      ASSERT_TRUE(def.collective.has_value()) << target.str();
      const bool isList = form == WritingForm::InPlaceList;
      EXPECT_EQ(def.collective->kind, kind);
      EXPECT_EQ(def.collective->coalesced, isList);
      EXPECT_EQ(def.collective->inPlace, form != WritingForm::Out);
      EXPECT_EQ(def.collective->output >= 0, form == WritingForm::Out);
      EXPECT_TRUE(!def.collective->synchronous && !def.collective->legacy);
      const OpDef &functional = op(formOf(kind, isList ? CollectiveForm::List : CollectiveForm::Single));
      ASSERT_EQ(def.params.size(), functional.params.size() + (form == WritingForm::Out ? 1 : 0));
      for (size_t i = 0; i < functional.params.size(); ++i)
        EXPECT_EQ(def.params[i].type, functional.params[i].type) << target.str();
    }
  EXPECT_EQ(forms, 5U);
}

TEST_F(OpTableTest, ListFormsRefuseWhatPyTorchRefusesInThem) {
  EXPECT_FALSE(listFormTakes(CollectiveKind::AllGather, "", DType::C64));
  EXPECT_TRUE(listFormTakes(CollectiveKind::AllGather, "", DType::I16)) << "the backend's limit, not the form's";
  EXPECT_TRUE(listFormTakes(CollectiveKind::AllReduce, "sum", DType::C64));
  EXPECT_TRUE(listFormTakes(CollectiveKind::AllReduce, "avg", DType::C64));
  EXPECT_FALSE(listFormTakes(CollectiveKind::AllReduce, "avg", DType::C32));
  EXPECT_FALSE(listFormTakes(CollectiveKind::AllReduce, "", DType::C32)) << "an object may mean avg";
  EXPECT_TRUE(listFormTakes(CollectiveKind::AllReduce, "sum", DType::C32));
  EXPECT_FALSE(listFormTakes(CollectiveKind::ReduceScatter, "avg", DType::C32));
}

TEST_F(OpTableTest, WaitsCopyAgainWhatAListOfReduceScattersYields) {
  EXPECT_TRUE(op("_c10d_functional.reduce_scatter_tensor_coalesced.default").collective->waitsRewriteAll);
  for (llvm::StringRef target :
       {"_c10d_functional.reduce_scatter_tensor.default", "_c10d_functional.all_reduce_coalesced.default",
        "_c10d_functional.all_gather_into_tensor_coalesced.default"})
    EXPECT_FALSE(op(target).collective->waitsRewriteAll) << target.str();
}

TEST_F(OpTableTest, TraitsAreKnownByTheTable) {
  EXPECT_TRUE(op("aten.cat.default").movesBytes);
  EXPECT_TRUE(op("aten.embedding.default").movesBytes);
  EXPECT_FALSE(op("aten.add.Tensor").movesBytes);
  EXPECT_FALSE(op("aten.sum.default").movesBytes);
  EXPECT_TRUE(op("aten.view.default").keepsValues);
  EXPECT_TRUE(op("_c10d_functional.all_reduce.default").keepsValues);
  EXPECT_FALSE(op("aten.exp.default").keepsValues);
  ASSERT_TRUE(op("aten.index_select.default").indices.has_value());
  EXPECT_EQ(op("aten.index_select.default").indices->into, IndexUse::Into::Stated);
  EXPECT_TRUE(op("aten.rsqrt.default").wantsPositive);
}

TEST_F(OpTableTest, HoldsEveryOperatorOfPyTorch) {
  size_t count = 0;
  forEachSchema([&](llvm::StringRef line) {
    ++count;
    llvm::Expected<Schema> schema = parseSchema(line);
    ASSERT_TRUE(static_cast<bool>(schema)) << line.str() << llvm::toString(schema.takeError());
    EXPECT_EQ(line.take_front(line.find('(')), schema->key);
    EXPECT_EQ(findSchema(schema->key), line);
    EXPECT_FALSE(op(schema->key).opaque) << schema->key;
  });
  EXPECT_EQ(count, OpTable::numGenerated());
  EXPECT_EQ(count, 4125U);
}

TEST_F(OpTableTest, HoldsWhatPyTorchRegistersOnImportOnly) {
  EXPECT_TRUE(op("prims._low_memory_max_pool_with_offsets.default").domain == Domain::None);
  EXPECT_FALSE(op("prims._low_memory_max_pool_with_offsets.default").keepAlways);
  EXPECT_EQ(access("prims._unsafe_index_put_", "self"), readWriteAlias);
  EXPECT_EQ(op("prims.inductor_force_stride_order").mayAlias, true) << "it returns its input where the strides fit";
  EXPECT_EQ(op("quantized_decomposed.quantize_per_tensor.default").domain, Domain::None);
  EXPECT_EQ(op("torch_attn._varlen_attn.default").domain, Domain::None);
  EXPECT_EQ(op("inductor_prims.inductor_reserve_rng_state.default").domain, Domain::Rng);
}

TEST_F(OpTableTest, KnowsWhoAsksWhereATensorLies) {
  auto sees = [&](llvm::StringRef target, llvm::StringRef param) { return has(access(target, param), Access::Place); };
  EXPECT_TRUE(sees("aten.as_strided.default", "self"));
  EXPECT_TRUE(sees("aten.as_strided_scatter.default", "self"));
  EXPECT_FALSE(sees("aten.as_strided_scatter.default", "src")) << "only its elements are copied";
  EXPECT_TRUE(sees("aten.view.dtype", "self"));
  EXPECT_FALSE(sees("aten.view.default", "self"));
  EXPECT_TRUE(sees("aten.set_.source_Tensor", "source"));
  EXPECT_TRUE(sees("aten.sym_storage_offset.default", "self"));
  EXPECT_TRUE(sees("aten.add.out", "out")) << "it is resized where it does not fit";
  EXPECT_FALSE(sees("aten.add.out", "self"));
  EXPECT_TRUE(sees("aten._scaled_mm.default", "mat2")) << "its address must be a multiple of 16";
  EXPECT_FALSE(sees("_c10d_functional.all_gather_into_tensor_out.default", "out")) << "it must fit";
}

TEST_F(OpTableTest, StreamsAndHiddenTransfersAreOrderedAgainstAll) {
  for (llvm::StringRef key : {"streams.wait_event", "streams.record_stream", "mempool.begin", "cplib.flex_cp_allgather",
                              "symm_mem.one_shot_all_reduce"})
    EXPECT_EQ(op(key).domain, Domain::All) << key.str();
}

TEST_F(OpTableTest, CopiesToTheHostLaunchAndTheirWaitFrees) {
  for (llvm::StringRef key : {"ao.offload", "ao.reload"}) {
    EXPECT_EQ(op(key).role, OpRole::HostCopy) << key.str();
    EXPECT_TRUE(op(key).launches()) << key.str();
    EXPECT_EQ(op(key).domain, Domain::None) << key.str();
    EXPECT_EQ(access(key, "tensor"), Access::InFlightRead) << key.str();
  }
  EXPECT_TRUE(op("ao.offload").hostResult);
  EXPECT_FALSE(op("ao.reload").hostResult);
  const OpDef &wait = op("ao.wait_tensor");
  EXPECT_EQ(wait.role, OpRole::Wait);
  EXPECT_EQ(wait.frees, wait.paramIndex("keepalive"));
  EXPECT_EQ(access("ao.wait_tensor", "tensor"), Access::Alias | Access::Complete);
  EXPECT_EQ(access("ao.wait_tensor", "keepalive"), Access::Write) << "its storage is resized to 0 bytes";
  EXPECT_EQ(op("_c10d_functional.wait_tensor").frees, -1);
}

TEST_F(OpTableTest, FindsNoNeighbourOfAnUnknownKey) {
  for (llvm::StringRef key : {"", "a", "aten.m", "aten.mm2", "zzz.zzz", "aten.mm.", "aten"})
    EXPECT_TRUE(findSchema(key).empty()) << key.str();
}

TEST_F(OpTableTest, OneOperatorHasOneDefinitionHoweverItIsSpelled) {
  EXPECT_EQ(&op("aten.mm.default"), &op("aten.mm"));
  EXPECT_EQ(&op("aten.mm.default"), &op("torch.ops.aten.mm.default"));
  EXPECT_EQ(op("aten.mm").target.str(), "aten.mm.default");
  EXPECT_EQ(op("torch.sym_sum").target.str(), "torch.sym_sum");
  EXPECT_EQ(op("operator.getitem").target.str(), "operator.getitem");
}

TEST_F(OpTableTest, ANameWithoutOverloadStandsForOverloadsThatDoTheSame) {
  EXPECT_TRUE(op("aten.split").isView);
  EXPECT_EQ(op("aten.add").target.str(), "aten.add.Tensor");
  EXPECT_FALSE(op("aten.mul_").opaque);
  EXPECT_EQ(access("aten.mul_", "self"), readWriteAlias);
}

TEST_F(OpTableTest, ANameWithoutOverloadTakesWhatAnyOverloadReads) {
  EXPECT_FALSE(op("aten.where.default").variadic);
  EXPECT_TRUE(op("aten.where").variadic) << "aten.where(condition, x, y)";
  EXPECT_EQ(op("aten.where").params.back().access, Access::Read);
  EXPECT_EQ(&op("aten.where"), &op("aten.where.default"));
  EXPECT_FALSE(op("aten.neg").variadic) << "there is no other";
}

TEST_F(OpTableTest, AnUnknownOperatorIsOpaque) {
  const OpDef &def = op("mylib.scale.default");
  EXPECT_TRUE(def.opaque);
  EXPECT_TRUE(def.keepAlways);
  EXPECT_EQ(def.domain, Domain::All);
  EXPECT_EQ(def.target.str(), "mylib.scale.default");
  EXPECT_TRUE(op("operator.frobnicate").opaque);
}

TEST_F(OpTableTest, ADeclaredOperatorIsWhatItsSchemaSays) {
  const OpDef &before = op("mylib.scale_.default");
  llvm::cantFail(context_.ops().declare({"mylib::scale_(Tensor(a!) x, float s=1.0) -> Tensor(a!)"}));
  EXPECT_EQ(&before, &op("mylib.scale_.default")) << "nodes keep pointing at it";
  EXPECT_FALSE(before.opaque);
  EXPECT_EQ(before.domain, Domain::None);
  EXPECT_EQ(access("mylib.scale_", "x"), readWriteAlias);
  EXPECT_EQ(before.params[1].defaultValue, "1.0");
}

TEST_F(OpTableTest, ADeclarationMayBeImpure) {
  llvm::cantFail(context_.ops().declare({"mylib::log(Tensor x) -> ()", /*pure=*/false}));
  EXPECT_EQ(op("mylib.log").domain, Domain::All);
  EXPECT_TRUE(op("mylib.log").keepAlways);
}

TEST_F(OpTableTest, ASchemaThatDoesNotParseSaysWhere) {
  EXPECT_EQ(declareError("scale(Tensor x) -> Tensor"),
            "error: schema: column 1: expected namespace::name, got 'scale(Tensor x) -> Tensor'\n"
            "  note: a schema reads like mylib::scale(Tensor x, float s=1.0) -> Tensor\n");
  for (llvm::StringRef bad : {"", "my::op", "my::op(Tensor x", "my::op(Tensor) -> Tensor", "my::op(Tensor x)",
                              "my::op(Tensor x) ->", "my::op(Tensor x) -> (Tensor", "my op(Tensor x) -> Tensor"})
    EXPECT_NE(declareError(bad), "") << bad.str();
  EXPECT_TRUE(op("my.op").opaque);
}

TEST_F(OpTableTest, AMangledSchemaNeverCrashes) {
  unsigned seed = 1;
  auto next = [&](size_t limit) { return (seed = seed * 1664525U + 1013904223U) / 65536U % limit; };
  const char noise[] = "()[]{}*=->:,.\"'! \t\n|aT\\";
  forEachSchema([&](llvm::StringRef line) {
    std::string text = line.str();
    for (int edits = 0; edits < 3; ++edits)
      text[next(text.size())] = noise[next(sizeof(noise) - 1)];
    text.resize(next(text.size()) + 1);
    llvm::Expected<Schema> schema = parseSchema(text);
    if (!schema)
      llvm::consumeError(schema.takeError());
  });
}

TEST_F(OpTableTest, AnnotationsTellViewsFromWrites) {
  EXPECT_TRUE(op("aten.view.default").isView);
  EXPECT_EQ(access("aten.view.default", "self"), Access::Alias);
  EXPECT_FALSE(op("aten.view.default").freshResult);
  EXPECT_EQ(access("aten.add_.Tensor", "self"), readWriteAlias);
  EXPECT_EQ(access("aten.add_.Tensor", "other"), Access::Read);
  EXPECT_EQ(access("aten.copy_.default", "self"), Access::Write | Access::Alias);
  EXPECT_EQ(access("aten.split_with_sizes_copy.out", "out"), Access::Write | Access::Place | Access::Reshape);
  EXPECT_EQ(access("aten._fused_adamw_.default", "exp_avgs"), Access::Read | Access::Write);
  EXPECT_EQ(access("aten._foreach_add_.Scalar", "self"), Access::Read | Access::Write);
}

TEST_F(OpTableTest, KnowsSharingThatSchemasHide) {
  for (llvm::StringRef target :
       {"aten._unsafe_view.default", "aten.unsafe_split.Tensor", "aten.broadcast_tensors.default",
        "aten.detach_.default", "inductor._reinterpret_tensor.default"})
    EXPECT_TRUE(op(target).isView) << target.str();
  for (llvm::StringRef target : {"aten.reshape.default", "aten.contiguous.default", "aten.to.dtype",
                                 "aten.type_as.default", "aten.flatten.using_ints", "prims.device_put.default"})
    EXPECT_TRUE(op(target).mayAlias) << target.str();
  for (llvm::StringRef target : {"aten._to_copy.default", "aten.clone.default", "aten.lift_fresh_copy.default",
                                 "aten.unsafe_split.Tensor_out", "aten.lift.out"}) {
    EXPECT_FALSE(op(target).isView) << target.str();
    EXPECT_FALSE(op(target).mayAlias) << target.str();
  }
}

TEST_F(OpTableTest, KnowsWritesThatSchemasHide) {
  EXPECT_TRUE(has(access("_c10d_functional.irecv.default", "tensor"), Access::InFlightWrite));
  EXPECT_TRUE(has(access("_c10d_functional.batch_p2p_ops.default", "tensors"), Access::InFlightWrite));
  EXPECT_TRUE(has(access("aten.native_batch_norm.default", "running_mean"), Access::Write));
  EXPECT_TRUE(has(access("fsdp.all_gather_copy_in.default", "all_gather_output"), Access::Write));
  EXPECT_FALSE(has(access("aten._native_batch_norm_legit_no_training.default", "running_mean"), Access::Write));
}

TEST_F(OpTableTest, OrdersWhatMeetsTheOutside) {
  EXPECT_EQ(op("aten.rand.default").domain, Domain::Rng);
  EXPECT_EQ(op("aten._assert_async.msg").domain, Domain::Host);
  EXPECT_EQ(op("aten._local_scalar_dense.default").domain, Domain::Host);
  EXPECT_EQ(op("profiler._record_function_enter_new.default").domain, Domain::Host);
  EXPECT_EQ(op("symm_mem.fused_all_gather_matmul.default").domain, Domain::All);
  EXPECT_EQ(op("c10d.monitored_barrier_.default").domain, Domain::All);
  EXPECT_EQ(op("_c10d_functional.all_reduce.default").domain, Domain::Comm);
  EXPECT_EQ(op("aten.mm.default").domain, Domain::None);
  EXPECT_EQ(op("operator.le").domain, Domain::None);
  EXPECT_EQ(op("higher_order.flex_attention").domain, Domain::None);
}

TEST_F(OpTableTest, PositionsOfCollectivesAreThoseOfTheirSchemas) {
  for (const OpDef *def : context_.ops().described()) {
    if (!def->collective)
      continue;
    auto name = [&](int8_t index) { return index < 0 ? "-" : def->params[index].name; };
    const CollectiveSpec &spec = *def->collective;
    std::string target = def->target.str().str();
    EXPECT_TRUE(name(spec.group).find("group") != std::string::npos || name(spec.group) == "ranks")
        << target << name(spec.group);
    EXPECT_TRUE(spec.reduceOp < 0 || llvm::StringRef(name(spec.reduceOp)).lower().find("op") != std::string::npos)
        << target;
    EXPECT_TRUE(spec.groupSize < 0 || name(spec.groupSize) == "group_size") << target << name(spec.groupSize);
    EXPECT_TRUE(spec.outputSplits < 0 || name(spec.outputSplits) == "output_split_sizes") << target;
    EXPECT_TRUE(spec.inputSplits < 0 || name(spec.inputSplits) == "input_split_sizes") << target;
    EXPECT_TRUE(spec.root < 0 || name(spec.root) == "src" || name(spec.root) == "root_rank")
        << target << name(spec.root);
    EXPECT_TRUE(spec.output < 0 || holdsTensor(def->params[spec.output].type)) << target;
    EXPECT_TRUE(spec.input < 0 || holdsTensor(def->params[spec.input].type)) << target;
  }
}

TEST_F(OpTableTest, DescribedOperatorsAreSortedAndKnown) {
  std::vector<const OpDef *> ops = context_.ops().described();
  ASSERT_GT(ops.size(), 100U);
  for (size_t i = 0; i < ops.size(); ++i) {
    EXPECT_FALSE(ops[i]->opaque) << ops[i]->target.str().str();
    EXPECT_TRUE(i == 0 || ops[i - 1]->target.str() < ops[i]->target.str());
  }
}

/// A view of which the operator table does not state where it begins, and why.
struct ViewWithoutPlace {
  llvm::StringLiteral base;
  llvm::StringLiteral reason;
};
constexpr ViewWithoutPlace viewsWithoutPlace[] = {
    {"_c10d_functional._wrap_tensor_autograd", "is autograd's own, or a test's, and in no graph"},
    {"aten._remove_batch_dim", "is vmap's own, and in no graph"},
    {"aten.data", "is in no captured graph yet"},
    {"aten.lift", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.meshgrid", "is in no captured graph yet"},
    {"inductor._alloc_from_pool", "lies at a number of bytes in a pool"},
    {"inductor._reinterpret_tensor", "is in no captured graph yet"},
    {"ao.wait_tensor", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten._autocast_to_full_precision", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten._autocast_to_reduced_precision", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten._conj", "shows other numbers than those in memory"},
    {"aten._fw_primal", "is autograd's own, or a test's, and in no graph"},
    {"aten._grad_sum_to_size", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten._indices", "yields an inner tensor of a sparse or nested one"},
    {"aten._make_dual", "is autograd's own, or a test's, and in no graph"},
    {"aten._ncf_unsqueeze", "is in no captured graph yet"},
    {"aten._ncf_view", "is in no captured graph yet"},
    {"aten._neg_view", "shows other numbers than those in memory"},
    {"aten._nested_get_values", "yields an inner tensor of a sparse or nested one"},
    {"aten._nested_view_from_buffer", "yields an inner tensor of a sparse or nested one"},
    {"aten._nested_view_from_jagged", "yields an inner tensor of a sparse or nested one"},
    {"aten._sparse_broadcast_to", "yields an inner tensor of a sparse or nested one"},
    {"aten._test_autograd_multiple_dispatch_view", "is autograd's own, or a test's, and in no graph"},
    {"aten._unpack_dual", "is autograd's own, or a test's, and in no graph"},
    {"aten._values", "yields an inner tensor of a sparse or nested one"},
    {"aten.as_tensor", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.ccol_indices", "yields an inner tensor of a sparse or nested one"},
    {"aten.coalesce", "yields an inner tensor of a sparse or nested one"},
    {"aten.col_indices", "yields an inner tensor of a sparse or nested one"},
    {"aten.conj", "shows other numbers than those in memory"},
    {"aten.cpu", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.crow_indices", "yields an inner tensor of a sparse or nested one"},
    {"aten.cuda", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.imag", "begins between two complex numbers, or is a copy of real ones"},
    {"aten.indices", "yields an inner tensor of a sparse or nested one"},
    {"aten.linalg_diagonal", "is in no captured graph yet"},
    {"aten.pin_memory", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.positive", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.resolve_conj", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.resolve_neg", "may return the tensor itself or a copy (passed_on.h)"},
    {"aten.row_indices", "yields an inner tensor of a sparse or nested one"},
    {"aten.slice_inverse", "is autograd's own, or a test's, and in no graph"},
    {"aten.values", "yields an inner tensor of a sparse or nested one"},
    {"prims.conj", "shows other numbers than those in memory"},
    {"prims.imag", "begins between two complex numbers, or is a copy of real ones"},
    {"prims.real", "begins between two complex numbers, or is a copy of real ones"},
};

/// Does it yield a view, or a list of views, of its first operand?
bool yieldsView(const OpDef &op) {
  bool reshapes = op.reshapes || llvm::any_of(op.params, [](const OpParam &param) { return param.writes; });
  return op.isView && op.role == OpRole::Compute && !op.opaque && !reshapes && !op.results.empty() &&
         llvm::StringRef(op.results[0].type).contains("Tensor");
}

TEST_F(OpTableTest, EachViewStatesWhereItBeginsOrIsListedWithoutPlace) {
  std::vector<std::string> without;
  forEachSchema([&](llvm::StringRef line) {
    std::string key = line.take_front(line.find('(')).str();
    if (const OpDef &def = op(key); yieldsView(def) && !def.view)
      without.push_back(key);
  });
  for (const std::string &key : without)
    EXPECT_TRUE(llvm::any_of(viewsWithoutPlace, [&](const auto &view) { return view.base == baseOfTarget(key); }))
        << key;
}

TEST_F(OpTableTest, TypeRulesAreThoseOfKnownOperators) {
  forEachTypedKey([&](llvm::StringRef key) {
    const OpDef &def = op(key);
    // torchtitan's own operator, of which PyTorch registers no schema, has a rule all the same.
    EXPECT_TRUE(!def.opaque || key == "torchtitan.deterministic_scatter_add") << key.str();
    EXPECT_NE(def.typeRule, nullptr) << key.str();
  });
}

TEST_F(OpTableTest, BuffersThatACollectiveYieldsAreAmongItsArguments) {
  size_t known = 0;
  for (const OpDef *def : context_.ops().described()) {
    if (!def->collective || !def->collective->yieldsBuffers)
      continue;
    ++known;
    EXPECT_TRUE(def->collective->synchronous && def->collective->legacy) << def->target.str().str();
    EXPECT_TRUE(def->collective->inPlace || def->collective->output >= 0) << def->target.str().str();
  }
  EXPECT_EQ(known, 7U);
}

} // namespace
} // namespace ccgraph
