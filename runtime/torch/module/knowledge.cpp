#include "knowledge.h"

#include <ATen/core/enum_tag.h>
#include <c10/core/ScalarType.h>

#include <algorithm>

namespace ccgraph::runtime {
namespace {

using Schema = c10::FunctionSchema;
using c10::TypeKind;

bool isWritten(const c10::Argument &parameter) { return parameter.alias_info() && parameter.alias_info()->isWrite(); }

/// Returns the parameter that controls how much is random; -1 where there is none.
int dropoutOf(const Schema &schema) {
  for (const char *name : {"dropout_p", "train", "training"})
    if (std::optional<int> at = schema.argumentIndexWithName(name))
      return *at;
  return -1;
}

/// Values here are never objects of PyTorch's, such as the handle of a profiler's mark.
bool isOnObjects(const Schema &schema) {
  auto isObject = [](const c10::Argument &argument) { return argument.type()->kind() == TypeKind::ClassType; };
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), isObject) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), isObject);
}

TypeKind kindOf(const c10::TypePtr &type) {
  return type->kind() == TypeKind::OptionalType ? type->expectRef<c10::OptionalType>().getElementType()->kind()
                                                : type->kind();
}

/// Returns whether a tensor selects elements as a mask, of which only the device knows the number of true values.
bool isMask(const TorchArgument &argument) {
  auto dtype = static_cast<c10::ScalarType>(argument.tensor.dtype);
  return argument.kind == TorchArgument::Kind::Tensor && (dtype == c10::kBool || dtype == c10::kByte);
}

bool hasMask(const TorchArgument &list) { return std::any_of(list.elements, list.elements + list.count, isMask); }

} // namespace

bool writesResultsOf(const Schema &candidate, const Schema &schema) {
  size_t shared = schema.arguments().size(), outputs = schema.returns().size();
  if (outputs == 0 || candidate.arguments().size() != shared + outputs)
    return false;
  for (size_t i = 0; i < shared; ++i) {
    const c10::Argument &a = candidate.arguments()[i], &b = schema.arguments()[i];
    if (a.name() != b.name() || *a.real_type() != *b.real_type() || isWritten(a) || isWritten(b))
      return false;
  }
  for (size_t i = shared; i < candidate.arguments().size(); ++i)
    if (!isWritten(candidate.arguments()[i]) || candidate.arguments()[i].type()->kind() != TypeKind::TensorType)
      return false;
  return true;
}

bool yieldsTensors(const Schema &schema) {
  const std::vector<c10::Argument> &returns = schema.returns();
  auto isTensor = [](const c10::Argument &result) { return result.type()->kind() == TypeKind::TensorType; };
  auto isList = [](const c10::Argument &result) { return result.type()->kind() == TypeKind::ListType; };
  if (returns.size() == 1)
    return isTensor(returns.front()) ||
           (isList(returns.front()) &&
            returns.front().type()->expectRef<c10::ListType>().getElementType()->kind() == TypeKind::TensorType);
  return std::none_of(returns.begin(), returns.end(), isList);
}

// These kernels add into their outputs without setting them to 0 first, where the input has gaps: native_batch_norm,
// _native_batch_norm_legit.
bool outputsAreWrong(const Schema &schema) { return schema.name().find("native_batch_norm") != std::string::npos; }

// These kernels require a last dimension without gaps, which PyTorch's own callers ensure, and read wrong elements
// otherwise.
bool packsLastDimension(const Schema &schema) { return schema.name().rfind("aten::_scaled_dot_product_", 0) == 0; }

int randomnessOf(const c10::OperatorHandle &op) {
  bool isDropout = op.schema().argumentIndexWithName("dropout_p").has_value();
  return isDropout || op.hasTag(at::Tag::nondeterministic_seeded) ? dropoutOf(op.schema()) : -1;
}

bool isCallable(const c10::OperatorHandle &op) {
  bool alwaysDraws = op.hasTag(at::Tag::nondeterministic_seeded) && dropoutOf(op.schema()) < 0;
  return !alwaysDraws && !op.hasTag(at::Tag::inplace_view) && !isOnObjects(op.schema());
}

// Older versions have no such tag, and no operator that would have it.
template <typename Tag>
static bool isUnsafeInGraphs(const c10::OperatorHandle &op) {
  if constexpr (requires { Tag::cudagraph_unsafe; })
    return op.hasTag(Tag::cudagraph_unsafe);
  return false;
}

const char *whatHostReads(const c10::OperatorHandle &op, const TorchArgument *arguments, size_t count) {
  if (op.hasTag(at::Tag::data_dependent_output) || isUnsafeInGraphs<at::Tag>(op))
    return "what it does depends on elements";
  const std::vector<c10::Argument> &parameters = op.schema().arguments();
  bool isIndexed = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    static const TorchArgument none;
    const TorchArgument &given = i < count ? arguments[i] : none;
    bool isIndices = parameters[i].name() == "indices" && kindOf(parameters[i].type()) == TypeKind::ListType;
    isIndexed |= isIndices;
    if (isIndices && hasMask(given))
      return "how much it picks depends on a mask";
    TypeKind kind = kindOf(parameters[i].type());
    if (given.kind == TorchArgument::Kind::Tensor && kind != TypeKind::TensorType && kind != TypeKind::ListType)
      return "a number that it takes is an element of a tensor";
  }
  return op.hasTag(at::Tag::dynamic_output_shape) && !isIndexed ? "the sizes of what it makes depend on elements"
                                                                : nullptr;
}

} // namespace ccgraph::runtime
