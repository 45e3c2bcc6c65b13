#include "ccgraph/runtime/group_call.h"

#include "process_groups/group_error.h"
#include "tensor/elements.h"

#include <cstdio>
#include <cstdlib>

namespace ccgraph::runtime {
namespace {

struct OpNames {
  llvm::StringLiteral function;
  llvm::StringLiteral type;
};

// In the order of GroupOp. The types are those of c10d (Work.hpp).
constexpr OpNames names[] = {
    {"broadcast", "BROADCAST"},
    {"all_reduce", "ALLREDUCE"},
    {"all_reduce_coalesced", "ALLREDUCE_COALESCED"},
    {"reduce", "REDUCE"},
    {"all_gather", "ALLGATHER"},
    {"all_gather_single", "_ALLGATHER_BASE"},
    {"all_gather_coalesced", "ALLGATHER_COALESCED"},
    {"all_gather_into_tensor_coalesced", "ALLGATHER_INTO_TENSOR_COALESCED"},
    {"gather", "GATHER"},
    {"scatter", "SCATTER"},
    {"reduce_scatter", "REDUCE_SCATTER"},
    {"reduce_scatter_single", "_REDUCE_SCATTER_BASE"},
    {"reduce_scatter_tensor_coalesced", "REDUCE_SCATTER_TENSOR_COALESCED"},
    {"all_to_all", "ALLTOALL"},
    {"all_to_all_single", "ALLTOALL_BASE"},
    {"barrier", "BARRIER"},
    {"isend", "SEND"},
    {"irecv", "RECV"},
    {"irecv", "RECVANYSOURCE"},
};
const OpNames &namesOf(GroupOp op) { return names[static_cast<size_t>(op)]; }

constexpr llvm::StringLiteral premul = "premul_sum";

} // namespace

llvm::StringRef groupOpName(GroupOp op) { return namesOf(op).function; }
llvm::StringRef opTypeName(GroupOp op) { return namesOf(op).type; }
bool isTransfer(GroupOp op) { return op == GroupOp::Send || op == GroupOp::Recv || op == GroupOp::RecvAnySource; }

Reduction Reduction::premulSum(double factor) {
  Reduction reduction;
  reduction.factor_ = factor;
  return reduction;
}

llvm::Expected<Reduction> Reduction::premulSum(const Tensor &factor) {
  bool isNumber = ccgraph::isFloat(factor.dtype()) && computable(factor.dtype());
  if (factor.numElements() != 1 || !isNumber)
    return groupError("group.argument", "premul_sum",
                      "got a factor " + factor.typeText() + ", expected a floating-point tensor with numel() == 1");
  return premulSum(readAll(factor).front());
}

std::string Reduction::str() const {
  return "RedOpType." + (factor_ ? llvm::StringRef(premul) : reduceOpName(op_)).upper();
}

std::string Reduction::serialize() const {
  if (!factor_)
    return reduceOpName(op_).str();
  char text[40];
  std::snprintf(text, sizeof(text), " %a", *factor_);
  return premul.str() + text;
}

llvm::Expected<Reduction> Reduction::parse(llvm::StringRef text) {
  if (std::optional<ReduceOp> op = parseReduceOp(text))
    return Reduction(*op);
  std::string rest = text.str();
  if (text.startswith_insensitive(premul) && text.size() > premul.size()) {
    const char *begin = rest.c_str() + premul.size();
    char *end = nullptr;
    double factor = std::strtod(begin, &end);
    if (end != begin && *end == '\0')
      return premulSum(factor);
  }
  return groupError("group.argument", "", "Unrecognized reduce_op: " + text.str(),
                    "use sum, avg, product, min, max, band, bor, bxor, or premul_sum and a number");
}

} // namespace ccgraph::runtime
