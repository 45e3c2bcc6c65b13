// The one file that names PyTorch's headers: operators found by name and called through the dispatcher.
//
// Any operator is called boxed, by its schema: no list of operators stands here. Results go where the caller says by the overload that takes
// outputs, which is the one with the same parameters and some that are written besides, whatever their names (`out`, `grad_input`,
// `values`).
#include "torch/torch_calls.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph::runtime {
namespace {

using Schema = c10::FunctionSchema;

/// A word of the text that names a layout or a memory format, as the dispatcher has it.
std::optional<int64_t> wordNumber(const std::string &word) {
  static const std::map<std::string, int64_t> words = {
      {"strided", static_cast<int64_t>(c10::Layout::Strided)},
      {"contiguous_format", static_cast<int64_t>(c10::MemoryFormat::Contiguous)},
      {"preserve_format", static_cast<int64_t>(c10::MemoryFormat::Preserve)},
      {"channels_last", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast)},
      {"channels_last_3d", static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d)}};
  constexpr std::string_view module = "torch.";
  bool qualified = std::string_view(word).substr(0, module.size()) == module;
  auto found = words.find(qualified ? word.substr(module.size()) : word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

at::Tensor tensorOver(const TorchTensor &window) {
  // Because memory of no element may have no address, which PyTorch would take for no memory.
  static std::byte nothing[16];
  return at::from_blob(window.data ? window.data : nothing, c10::IntArrayRef(window.sizes, window.rank),
                       c10::IntArrayRef(window.strides, window.rank),
                       at::TensorOptions(static_cast<c10::ScalarType>(window.dtype)));
}

at::Scalar scalarOf(const TorchArgument &argument) {
  switch (argument.kind) {
  case TorchArgument::Kind::Bool:
    return {argument.integer != 0};
  case TorchArgument::Kind::Int:
    return {argument.integer};
  case TorchArgument::Kind::Float:
    return {argument.real};
  case TorchArgument::Kind::Complex:
    return {c10::complex<double>(argument.real, argument.imaginary)};
  case TorchArgument::Kind::Tensor:
    return tensorOver(argument.tensor).item();
  default:
    TORCH_CHECK(false, "got an argument that is no number, expected one");
  }
}

int64_t integerOf(const TorchArgument &argument) {
  if (argument.kind == TorchArgument::Kind::Int || argument.kind == TorchArgument::Kind::Bool)
    return argument.integer;
  return scalarOf(argument).toLong();
}

/// A number where a tensor is wanted promotes by its class alone.
at::Tensor tensorOf(const TorchArgument &argument) {
  if (argument.kind == TorchArgument::Kind::Tensor)
    return tensorOver(argument.tensor);
  at::Tensor number = at::scalar_tensor(scalarOf(argument), [&] {
    switch (argument.kind) {
    case TorchArgument::Kind::Bool:
      return c10::kBool;
    case TorchArgument::Kind::Int:
      return c10::kLong;
    case TorchArgument::Kind::Complex:
      return c10::kComplexDouble;
    default:
      return c10::kDouble;
    }
  }());
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

c10::IValue convert(const TorchArgument &argument, const c10::TypePtr &type);

/// One value for a list of it too: int[2] takes 3.
template <typename Take>
void forEachElement(const TorchArgument &argument, const Take &take) {
  if (argument.kind != TorchArgument::Kind::List)
    return take(argument);
  for (size_t i = 0; i < argument.count; ++i)
    take(argument.elements[i]);
}

c10::IValue convertList(const TorchArgument &argument, const c10::ListType &type, std::optional<int32_t> length) {
  c10::impl::GenericList list(type.getElementType());
  forEachElement(argument,
                 [&](const TorchArgument &element) { list.push_back(convert(element, type.getElementType())); });
  // As PyTorch's own parser does: one value stands for all that a list of stated length has.
  while (argument.kind != TorchArgument::Kind::List && length && list.size() < static_cast<size_t>(*length))
    list.push_back(list.get(0));
  return c10::IValue(std::move(list));
}

c10::IValue convert(const TorchArgument &argument, const c10::TypePtr &type) {
  using c10::TypeKind;
  switch (type->kind()) {
  case TypeKind::OptionalType:
    return argument.kind == TorchArgument::Kind::None
               ? c10::IValue()
               : convert(argument, type->expectRef<c10::OptionalType>().getElementType());
  case TypeKind::TensorType:
    return argument.kind == TorchArgument::Kind::None ? c10::IValue(at::Tensor()) : c10::IValue(tensorOf(argument));
  case TypeKind::IntType:
  case TypeKind::SymIntType:
    if (argument.kind == TorchArgument::Kind::String) {
      std::optional<int64_t> number = wordNumber(argument.text);
      TORCH_CHECK(number, "got the word '", argument.text, "', of which nothing is known");
      return *number;
    }
    return argument.kind == TorchArgument::Kind::DType ? c10::IValue(argument.integer)
                                                       : c10::IValue(integerOf(argument));
  case TypeKind::FloatType:
    return scalarOf(argument).toDouble();
  case TypeKind::BoolType:
    return argument.kind == TorchArgument::Kind::Tensor ? scalarOf(argument).toBool() : integerOf(argument) != 0;
  case TypeKind::NumberType:
    return c10::IValue(scalarOf(argument));
  case TypeKind::StringType:
    return std::string(argument.text ? argument.text : "");
  case TypeKind::DeviceObjType:
    // Whatever device the program names: its tensors are here.
    return c10::Device(c10::kCPU);
  case TypeKind::ListType:
    return convertList(argument, type->expectRef<c10::ListType>(), std::nullopt);
  default:
    TORCH_CHECK(argument.kind == TorchArgument::Kind::None, "takes a ", type->str(), ", which nothing here is");
    return {};
  }
}

c10::IValue convert(const TorchArgument &argument, const c10::Argument &parameter) {
  if (argument.kind == TorchArgument::Kind::None && parameter.default_value())
    return *parameter.default_value();
  const c10::TypePtr &type = parameter.type();
  if (type->kind() == c10::TypeKind::ListType)
    return convertList(argument, type->expectRef<c10::ListType>(), parameter.N());
  return convert(argument, type);
}

void tell(const at::Tensor &result, TorchResults &results) {
  if (!result.defined())
    return results.none();
  TORCH_CHECK(result.layout() == c10::kStrided && result.device().is_cpu(),
              "yields a tensor that is not strided, or not on the CPU");
  at::Tensor plain = result.resolve_conj().resolve_neg();
  results.tensor({static_cast<std::byte *>(plain.data_ptr()), static_cast<int>(plain.scalar_type()),
                  static_cast<size_t>(plain.dim()), plain.sizes().data(), plain.strides().data()});
}

void tell(const c10::IValue &result, TorchResults &results) {
  if (result.isNone())
    return results.none();
  if (result.isTensor())
    return tell(result.toTensor(), results);
  if (result.isBool())
    return results.boolean(result.toBool());
  if (result.isInt())
    return results.integer(result.toInt());
  if (result.isDouble())
    return results.floating(result.toDouble());
  if (result.isComplexDouble())
    return results.complex(result.toComplexDouble().real(), result.toComplexDouble().imag());
  if (result.isSymInt())
    return results.integer(result.toSymInt().expect_int());
  TORCH_CHECK(result.isList(), "yields a ", result.tagKind(), ", which nothing here is");
  results.beginList();
  for (const c10::IValue &element : result.toListRef())
    tell(element, results);
  results.endList();
}

bool isWritten(const c10::Argument &parameter) { return parameter.alias_info() && parameter.alias_info()->isWrite(); }

/// The overload that does what `schema` does and writes its results to parameters that `schema` lacks.
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
    if (!isWritten(candidate.arguments()[i]) || candidate.arguments()[i].type()->kind() != c10::TypeKind::TensorType)
      return false;
  return true;
}

bool runsOnCpu(const c10::OperatorHandle &op) { return op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU); }

// --- What PyTorch's kernels do not say of themselves -------------------------------------------------------------

/// Because the kernel of these adds up in the outputs that it is given without setting them to 0 before, where the input has gaps:
/// native_batch_norm, _native_batch_norm_legit.
bool outputsAreWrong(const Schema &schema) { return schema.name().find("native_batch_norm") != std::string::npos; }

/// Because the kernels of these take the last dimension to be without gaps, as PyTorch's own callers see to, and read beside it else.
bool packsLastDimension(const Schema &schema) { return schema.name().rfind("aten::_scaled_dot_product_", 0) == 0; }

at::Tensor packed(const at::Tensor &tensor) {
  bool gaps = tensor.defined() && tensor.dim() > 0 && tensor.size(-1) > 1 && tensor.stride(-1) != 1;
  return gaps ? tensor.contiguous() : tensor;
}

/// The parameter that says how much is random: nothing, where it is 0 or false; -1 where there is none.
int randomnessOf(const Schema &schema) {
  for (const char *name : {"dropout_p", "train", "training"})
    if (std::optional<int> at = schema.argumentIndexWithName(name))
      return *at;
  return -1;
}

/// An operator that draws numbers whatever it is told.
bool alwaysDraws(const c10::OperatorHandle &op) {
  return op.hasTag(at::Tag::nondeterministic_seeded) && randomnessOf(op.schema()) < 0;
}

/// Because no value here is an object of PyTorch's, such as the handle of a profiler's mark.
bool isOnObjects(const Schema &schema) {
  auto isObject = [](const c10::Argument &argument) { return argument.type()->kind() == c10::TypeKind::ClassType; };
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), isObject) ||
         std::any_of(schema.returns().begin(), schema.returns().end(), isObject);
}

class Silence final : public c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

class Operator final : public TorchOperator {
public:
  Operator(c10::OperatorHandle op, const std::vector<c10::OperatorHandle> &overloads) : op_(std::move(op)) {
    for (const c10::Argument &parameter : op_.schema().arguments())
      parameters_ += (parameters_.empty() ? "" : ",") + parameter.name();
    for (const c10::OperatorHandle &candidate : overloads)
      if (candidate.hasSchema() && runsOnCpu(candidate) && writesResultsOf(candidate.schema(), op_.schema()) &&
          !outputsAreWrong(op_.schema()))
        out_ = candidate;
    packs_ = packsLastDimension(op_.schema());
    bool isDropout = op_.schema().argumentIndexWithName("dropout_p").has_value();
    randomness_ = isDropout || op_.hasTag(at::Tag::nondeterministic_seeded) ? randomnessOf(op_.schema()) : -1;
  }

  [[nodiscard]] const char *parameters() const override { return parameters_.c_str(); }
  [[nodiscard]] size_t outputs() const override { return out_ ? op_.schema().returns().size() : 0; }

  [[nodiscard]] bool call(const TorchArgument *arguments, size_t count, const TorchTensor *outputs,
                          TorchResults &results, std::string &error) const override {
    try {
      c10::InferenceMode guard;
      // Because a library does not print.
      Silence silence;
      c10::WarningUtils::WarningHandlerGuard warnings(&silence);
      torch::jit::Stack stack = stackOf(arguments, count);
      for (size_t i = 0; outputs && i < this->outputs(); ++i)
        stack.emplace_back(tensorOver(outputs[i]));
      (outputs ? *out_ : op_).callBoxed(stack);
      tellAll(stack, results);
      return true;
    } catch (const c10::Error &failure) {
      error = failure.what_without_backtrace();
    } catch (const std::bad_alloc &) {
      error = "needs more memory than there is";
    } catch (const std::exception &failure) {
      error = failure.what();
    }
    return false;
  }

private:
  torch::jit::Stack stackOf(const TorchArgument *arguments, size_t count) const {
    static const TorchArgument none;
    torch::jit::Stack stack;
    const std::vector<c10::Argument> &parameters = op_.schema().arguments();
    for (size_t i = 0; i < parameters.size(); ++i)
      stack.push_back(convert(i < count ? arguments[i] : none, parameters[i]));
    checkDrawsNothing(stack);
    for (c10::IValue &value : stack)
      if (packs_ && value.isTensor())
        value = packed(value.toTensor());
    return stack;
  }

  /// Because other engines, and the next run, would not draw the same numbers.
  void checkDrawsNothing(const torch::jit::Stack &stack) const {
    if (randomness_ < 0)
      return;
    const c10::IValue &given = stack[static_cast<size_t>(randomness_)];
    bool draws = given.isNone() || (given.isBool() ? given.toBool() : given.toScalar().toDouble() != 0);
    TORCH_CHECK(!draws, "got dropout, expected ", op_.schema().arguments()[static_cast<size_t>(randomness_)].name(),
                " that is 0 or false");
  }

  static void tellAll(const torch::jit::Stack &stack, TorchResults &results) {
    if (stack.size() == 1)
      return tell(stack.front(), results);
    if (stack.empty())
      return results.none();
    results.beginList();
    for (const c10::IValue &result : stack)
      tell(result, results);
    results.endList();
  }

  c10::OperatorHandle op_;
  std::optional<c10::OperatorHandle> out_;
  std::string parameters_;
  bool packs_ = false;
  /// see randomnessOf()
  int randomness_ = -1;
};

class Module final : public TorchCalls {
public:
  // A rank has a thread, and its operators run on that.
  Module() {
    at::set_num_threads(1);
    for (const c10::OperatorName &name : c10::Dispatcher::singleton().getAllOpNames())
      if (std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema(name))
        overloads_[name.name].push_back(*op);
  }

  [[nodiscard]] const TorchOperator *find(const char *name, const char *overload) override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Operator> &found = operators_[{name, overload}];
    if (found)
      return found.get();
    std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema({name, overload});
    if (op && runsOnCpu(*op) && !op->hasTag(at::Tag::inplace_view) && !alwaysDraws(*op) && !isOnObjects(op->schema()))
      found = std::make_unique<Operator>(*op, overloads_[name]);
    return found.get();
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::vector<c10::OperatorHandle>> overloads_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Operator>> operators_;
};

} // namespace
} // namespace ccgraph::runtime

extern "C" __attribute__((visibility("default"))) ccgraph::runtime::TorchCalls *ccgraphTorchCalls(int version) {
  if (version != ccgraph::runtime::TorchCalls::version)
    return nullptr;
  static ccgraph::runtime::Module module;
  return &module;
}
