#include "ops/knowledge.h"
#include "ops/schema.h"

namespace ccgraph {
namespace {

struct DomainEntry {
  llvm::StringLiteral key; ///< key or base
  Domain domain;
};

constexpr DomainEntry entries[] = {
    {"aten.Bool.Tensor", Domain::Host},
    {"aten.Complex.Tensor", Domain::Host},
    {"aten.Float.Tensor", Domain::Host},
    {"aten.FloatImplicit", Domain::Host},
    {"aten.Int.Tensor", Domain::Host},
    {"aten.IntImplicit", Domain::Host},
    {"aten.ScalarImplicit", Domain::Host},
    {"aten._backward", Domain::All},
    {"aten._functional_assert_async", Domain::Host},
    {"aten._functional_assert_scalar", Domain::Host},
    {"aten._fused_sdp_choice", Domain::None}, // Because it only names a kernel.
    {"aten._no_grad_normal_", Domain::Rng},   // Because these two draw, though no tag says so.
    {"aten._no_grad_uniform_", Domain::Rng},
    {"aten.backward", Domain::All},
    {"aten.initial_seed", Domain::Rng},
    {"aten.is_nonzero", Domain::Host},
    {"aten.manual_seed", Domain::Rng},
    {"aten.resize", Domain::All},
    {"aten.resize_", Domain::All},
    {"aten.resize_as_", Domain::All},
    {"aten.seed", Domain::Rng},
    {"aten.set_", Domain::All},
    {"aten.set_data", Domain::All},
    {"aten.shallow_copy_data_", Domain::All},
    {"device_mesh._runtime_compute_coordinate_on_dim", Domain::Host}, // Because it reads the tensor to learn a number.
    {"fsdp.record_grad_output_stream", Domain::All},
    {"inductor.accumulate_grad_", Domain::All},
    {"inductor.resize_storage_bytes_", Domain::All},
    {"inductor_prims.inductor_reserve_rng_state", Domain::Rng},
    {"prims._make_token", Domain::Host},
    {"prims.inductor_randint", Domain::Rng},
    {"prims.inductor_random", Domain::Rng},
    {"prims.inductor_seed", Domain::Rng},
    {"prims.inductor_seeds", Domain::Rng},
    {"prims.resize", Domain::All},
    {"profiler._record_function_enter", Domain::Host},
    {"profiler._record_function_enter_new", Domain::Host},
    {"profiler._record_function_exit", Domain::Host},
};

/// Namespaces of operators with effects that a schema cannot state.
constexpr llvm::StringLiteral spacesOfAll[] = {
    "cplib",    // calls collectives inside
    "mempool",  // turns the allocator over
    "streams",  // orders streams of the device
    "symm_mem", // writes into other ranks' memory and signals them
};

/// Known by themselves; other operators with subgraphs do what these do, which `effectsOf` looks up.
constexpr llvm::StringLiteral pureHigherOrder[] = {"higher_order.flex_attention",
                                                   "higher_order.flex_attention_backward"};

bool hasEffectNobodySees(const OpDef &op) {
  return op.results.empty() &&
         llvm::none_of(op.params, [](const OpParam &param) { return has(param.access, Access::Write); });
}

Domain domainOf(const OpDraft &draft) {
  if (const DomainEntry *entry = findEntry(llvm::ArrayRef(entries), draft))
    return entry->domain;
  llvm::StringRef space = draft.key.split('.').first;
  if (llvm::is_contained(spacesOfAll, space))
    return Domain::All;
  if (space == "higher_order" && draft.key != "higher_order.control_deps")
    return llvm::is_contained(pureHigherOrder, draft.key) ? Domain::None : Domain::All;
  // Because whatever of c10d is no collective of ours (gather, reduce, monitored barrier) still meets the other ranks.
  if (space == "c10d" && draft.key != "c10d.check_for_nan")
    return Domain::All;
  if (draft.tags.contains('r'))
    return Domain::Rng;
  if (draft.tags.contains('d') || hasEffectNobodySees(draft.op))
    return Domain::Host;
  return Domain::None;
}

/// Finds the arguments that make a random operator deterministic.
void findSwitches(const OpDraft &draft) {
  OpDef &op = draft.op;
  for (llvm::StringRef name : {"train", "training"})
    op.training = std::max(op.training, static_cast<int8_t>(op.paramIndex(name)));
  for (llvm::StringRef name : {"dropout_p", "dropout"})
    op.dropout = std::max(op.dropout, static_cast<int8_t>(op.paramIndex(name)));
  // Because the p of bernoulli and of _fused_dropout is a probability to keep, and that of geometric is none to drop
  // either.
  if (op.dropout < 0 && draft.base.contains("dropout") && draft.base != "aten._fused_dropout")
    op.dropout = static_cast<int8_t>(op.paramIndex("p"));
}

} // namespace

void applyDomains(const OpDraft &draft) {
  OpDef &op = draft.op;
  op.domain = domainOf(draft);
  if (op.domain == Domain::None)
    return;
  op.keepAlways = true;
  if (op.domain == Domain::Rng)
    findSwitches(draft);
  if (op.domain != Domain::All)
    return;
  for (OpParam &param : op.params)
    param.access = param.access | Access::Read | Access::Write | Access::Alias;
  // Because set_ lets the tensor share what the source has, and touches no element there.
  bool gives = draft.base == "aten.set_" || draft.base == "aten.set_data";
  if (gives && op.params.size() > 1)
    op.params[1].access = Access::Alias;
}

} // namespace ccgraph
