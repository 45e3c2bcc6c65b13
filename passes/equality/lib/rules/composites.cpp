// Operators that are other operators by another name, or a few of them one after the other, as PyTorch's own
// decompositions have it. An export before decomposition contains them.
#include "rules/compose.h"

#include <cstdlib>

namespace ccgraph::equality {
namespace {

/// The operator that has the same arguments and does the same.
struct Alias {
  llvm::StringLiteral base, same;
};
constexpr Alias aliases[] = {
    {"aten.absolute", "aten.abs"},
    {"aten.clip", "aten.clamp"},
    {"aten.concat", "aten.cat"},
    {"aten.concatenate", "aten.cat"},
    {"aten.divide", "aten.div"},
    {"aten.greater", "aten.gt"},
    {"aten.greater_equal", "aten.ge"},
    {"aten.less", "aten.lt"},
    {"aten.less_equal", "aten.le"},
    {"aten.multiply", "aten.mul"},
    {"aten.negative", "aten.neg"},
    {"aten.not_equal", "aten.ne"},
    {"aten.special_expit", "aten.sigmoid"},
    {"aten.special_logsumexp", "aten.logsumexp"},
    {"aten.subtract", "aten.sub"},
    {"aten.swapaxes", "aten.transpose"},
    {"aten.swapdims", "aten.transpose"},
};

Value evaluateAs(Call &call, llvm::StringRef base, std::vector<Value> arguments) {
  call.base = base.str();
  call.arguments = std::move(arguments);
  return evaluateCall(call);
}
Value aliasRule(Call &call) {
  const Alias *found = llvm::find_if(aliases, [&](const Alias &alias) { return alias.base == call.base; });
  return evaluateAs(call, found->same, call.arguments);
}

Value integersOf(IntListRef numbers) {
  std::vector<Value> list;
  for (int64_t number : numbers)
    list.push_back(Value::ofInteger(number));
  return Value(std::move(list));
}
Value flagOf(bool flag) {
  Value value;
  value.type = Value::Type::Bool;
  value.integer = flag;
  return value;
}
/// Returns the first result of an operator that has several.
Value firstOf(Call &call, llvm::StringRef base, std::vector<Value> arguments) {
  Value value = evaluateAs(call, base, std::move(arguments));
  return call.failed() || value.list.empty() ? Value() : value.list.front();
}

// softmax(self, dim, dtype), log_softmax(self, dim, dtype)
Value softmaxRule(Call &call) { return evaluateAs(call, "aten._softmax", {call.at(0), call.at(1), flagOf(false)}); }
Value logSoftmaxRule(Call &call) {
  return evaluateAs(call, "aten._log_softmax", {call.at(0), call.at(1), flagOf(false)});
}

// dropout(input, p, train)
Value dropoutRule(Call &call) {
  if (!call.flag(2) || call.real(1, 0) == 0)
    return call.at(0);
  return firstOf(call, "aten.native_dropout", call.arguments);
}

// relu6(self), selu(self)
Value relu6Rule(Call &call) {
  return evaluateAs(call, "aten.hardtanh", {call.at(0), Value::ofInteger(0), Value::ofInteger(6)});
}
Value seluRule(Call &call) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return evaluateAs(call, "aten.elu", {call.at(0), Value::ofReal(alpha), Value::ofReal(scale)});
}

// unflatten(self, dim, sizes): one size may be -1, for what is left.
Value unflattenRule(Call &call) {
  IntList sizes = call.view(0).sizes, parts = call.integers(2);
  const auto at = static_cast<size_t>(call.dimension(1, sizes.size()));
  const int64_t given = std::abs(productOf(parts));
  for (int64_t &part : parts)
    if (part == -1 && given != 0)
      part = sizes[at] / given;
  if (call.failed() || sizes.empty())
    return {};
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at));
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), parts.begin(), parts.end());
  return evaluateAs(call, "aten.reshape", {call.at(0), integersOf(sizes)});
}
Value viewAsRule(Call &call) { return evaluateAs(call, "aten.view", {call.at(0), integersOf(call.view(1).sizes)}); }
Value expandAsRule(Call &call) { return evaluateAs(call, "aten.expand", {call.at(0), integersOf(call.view(1).sizes)}); }

// mT(self): the last two dimensions change places.
Value matrixTransposeRule(Call &call) {
  return evaluateAs(call, "aten.transpose", {call.at(0), Value::ofInteger(-2), Value::ofInteger(-1)});
}
// numpy_T(self): all dimensions in the reverse order.
Value reverseDimsRule(Call &call) {
  const IntList dims = allDims(static_cast<int64_t>(call.view(0).sizes.size()));
  return evaluateAs(call, "aten.permute", {call.at(0), integersOf(IntList(dims.rbegin(), dims.rend()))});
}
// broadcast_tensors(tensors)
Value broadcastRule(Call &call) {
  const IntList sizes = broadcastSizes(call, call.tensors(0));
  std::vector<Value> views;
  for (const Value &tensor : call.at(0).list) {
    Call each = call;
    views.push_back(evaluateAs(each, "aten.expand", {tensor, integersOf(sizes)}));
    call.require(!each.failed(), each.problem);
  }
  return call.failed() ? Value() : Value(std::move(views));
}

// movedim(self, source, destination)
Value moveDimRule(Call &call) {
  const size_t rank = call.view(0).sizes.size();
  IntList from = call.integers(1), to = call.integers(2), order(rank, -1);
  std::vector<bool> isMoved(rank, false);
  call.require(from.size() == to.size(), "other numbers of dimensions to move and of places");
  for (size_t i = 0; i != from.size() && !call.failed(); ++i) {
    const auto source = static_cast<size_t>(from[i] < 0 ? from[i] + static_cast<int64_t>(rank) : from[i]);
    const auto place = static_cast<size_t>(to[i] < 0 ? to[i] + static_cast<int64_t>(rank) : to[i]);
    call.require(source < rank && place < rank, "a dimension that a tensor of " + llvm::Twine(rank) + " lacks");
    if (call.failed())
      return {};
    order[place] = static_cast<int64_t>(source);
    isMoved[source] = true;
  }
  size_t next = 0;
  for (int64_t &source : order) {
    while (source < 0 && next < rank && isMoved[next])
      ++next;
    if (source < 0)
      source = static_cast<int64_t>(next++);
  }
  return call.failed() ? Value() : evaluateAs(call, "aten.permute", {call.at(0), integersOf(order)});
}

// one_hot(self, num_classes): -1 for one more than the largest class
Value oneHotRule(Call &call) {
  Array classes = call.tensor(0);
  int64_t count = call.integer(1, -1);
  for (int64_t i = 0; call.integer(1, -1) < 0 && i != classes.count(); ++i)
    count = std::max(count, classes.integer(i) + 1);
  Words words(static_cast<size_t>(classes.count() * std::max<int64_t>(count, 0)), 0);
  for (int64_t i = 0; i != classes.count() && !call.failed(); ++i) {
    call.require(classes.integer(i) >= 0 && classes.integer(i) < count,
                 "class " + llvm::Twine(classes.integer(i)) + " of " + llvm::Twine(count));
    if (!call.failed())
      words[static_cast<size_t>(i * count + classes.integer(i))] = 1;
  }
  IntList sizes = classes.sizes;
  sizes.push_back(count);
  return call.failed() ? Value() : Value(makeArray(Kind::Integer, sizes, std::move(words)));
}

/// Returns a list of one number for each dimension of the window; one number stands for all.
IntList forEachDim(const IntList &given, size_t count, int64_t missing) {
  return given.size() == count ? given : IntList(count, given.empty() ? missing : given.front());
}
/// Returns the padding that keeps the length; empty if it is another one at both ends.
IntList paddingThatKeeps(IntListRef window, IntListRef dilation) {
  IntList padding;
  for (size_t dim = 0; dim != window.size(); ++dim) {
    const int64_t total = dilation[dim] * (window[dim] - 1);
    if (total % 2 != 0)
      return {};
    padding.push_back(total / 2);
  }
  return padding;
}
// conv1d(input, weight, bias, stride, padding, dilation, groups), and the same for two and three dimensions. The
// padding is a list, or 'valid' or 'same'.
Value convolutionRule(Call &call) {
  const IntList weight = call.view(1).sizes;
  call.require(weight.size() > 2 && call.view(0).sizes.size() == weight.size(), "a convolution of one example");
  if (call.failed())
    return {};
  const size_t dims = weight.size() - 2;
  const IntList dilation = forEachDim(call.integers(5), dims, 1);
  IntList padding = IntList(dims, 0);
  if (call.at(4).is(Value::Type::Text) && call.text(4) == "same")
    padding = paddingThatKeeps(IntListRef(weight).drop_front(2), dilation);
  else if (!call.at(4).is(Value::Type::Text))
    padding = forEachDim(call.integers(4), dims, 0);
  call.require(padding.size() == dims, "no rule for a padding that differs at both ends");
  const std::vector<Value> arguments = call.arguments;
  return evaluateAs(call, "aten.convolution",
                    {arguments[0], arguments[1], call.at(2), integersOf(forEachDim(call.integers(3), dims, 1)),
                     integersOf(padding), integersOf(dilation), flagOf(false), integersOf(IntList(dims, 0)),
                     Value::ofInteger(call.integer(6, 1))});
}

// pad(self, pad, mode, value): the padding is two numbers for each of the last dimensions.
Value padRule(Call &call) {
  const std::string mode = call.has(2) ? call.text(2) : "constant";
  const size_t dims = call.integers(1).size() / 2;
  if (mode == "constant")
    return evaluateAs(call, "aten.constant_pad_nd",
                      {call.at(0), call.at(1), call.has(3) ? call.at(3) : Value::ofInteger(0)});
  call.require((mode == "reflect" || mode == "replicate") && dims >= 1 && dims <= 2,
               "no rule for a padding of " + llvm::Twine(dims) + " dimensions by '" + mode + "'");
  const std::string base = mode == "reflect" ? "aten.reflection_pad" : "aten.replication_pad";
  return call.failed() ? Value() : evaluateAs(call, base + std::to_string(dims) + "d", {call.at(0), call.at(1)});
}

// group_norm(input, num_groups, weight, bias, eps)
Value groupNormRule(Call &call) {
  const IntList sizes = call.view(0).sizes;
  call.require(sizes.size() >= 2, "a norm over groups of " + intListText(sizes));
  if (call.failed())
    return {};
  const int64_t inner = productOf(IntListRef(sizes).drop_front(2));
  return firstOf(call, "aten.native_group_norm",
                 {call.at(0), call.at(2), call.at(3), Value::ofInteger(sizes[0]), Value::ofInteger(sizes[1]),
                  Value::ofInteger(inner), call.at(1), Value::ofReal(call.real(4, 1e-5))});
}
// batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)
Value batchNormRule(Call &call) {
  std::vector<Value> arguments = call.arguments;
  arguments.resize(8);
  return firstOf(call, "aten.native_batch_norm", std::move(arguments));
}
Value maxPoolRule(Call &call) { return firstOf(call, "aten.max_pool2d_with_indices", call.arguments); }

// cosine_similarity(x1, x2, dim, eps): the norms are at least eps.
Value cosineRule(Call &call) {
  Array a = call.floats(0), b = call.floats(1);
  const int64_t dim = call.dimension(2, a.sizes.size(), 1);
  const double epsilon = call.real(3, 1e-8);
  auto unit = [&](const Array &x) {
    Array norm =
        applied(call, "aten.linalg_vector_norm", {Value(x), Value::ofInteger(2), integersOf({dim}), flagOf(true)});
    Array bound = applied(call, "aten.clamp_min", {Value(norm), Value::ofReal(epsilon)});
    return applied(call, "aten.div", {Value(x), Value(bound)});
  };
  Array product = times(call, unit(a), unit(b));
  return call.failed() ? Value() : evaluateAs(call, "aten.sum", {Value(product), integersOf({dim})});
}

} // namespace

llvm::ArrayRef<RuleEntry> compositeRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.absolute", aliasRule},
      {"aten.batch_norm", batchNormRule},
      {"aten.broadcast_tensors", broadcastRule, true},
      {"aten.clip", aliasRule},
      {"aten.concat", aliasRule},
      {"aten.concatenate", aliasRule},
      {"aten.conv1d", convolutionRule},
      {"aten.conv2d", convolutionRule},
      {"aten.conv3d", convolutionRule},
      {"aten.cosine_similarity", cosineRule},
      {"aten.divide", aliasRule},
      {"aten.dropout", dropoutRule, true},
      {"aten.expand_as", expandAsRule, true},
      {"aten.greater", aliasRule},
      {"aten.greater_equal", aliasRule},
      {"aten.group_norm", groupNormRule},
      {"aten.less", aliasRule},
      {"aten.less_equal", aliasRule},
      {"aten.log_softmax", logSoftmaxRule},
      {"aten.mT", matrixTransposeRule, true},
      {"aten.max_pool2d", maxPoolRule},
      {"aten.moveaxis", moveDimRule, true},
      {"aten.movedim", moveDimRule, true},
      {"aten.multiply", aliasRule},
      {"aten.negative", aliasRule},
      {"aten.not_equal", aliasRule},
      {"aten.numpy_T", reverseDimsRule, true},
      {"aten.one_hot", oneHotRule},
      {"aten.pad", padRule},
      {"aten.relu6", relu6Rule},
      {"aten.selu", seluRule},
      {"aten.softmax", softmaxRule},
      {"aten.special_expit", aliasRule},
      {"aten.special_log_softmax", logSoftmaxRule},
      {"aten.special_logsumexp", aliasRule},
      {"aten.special_softmax", softmaxRule},
      {"aten.subtract", aliasRule},
      {"aten.swapaxes", aliasRule, true},
      {"aten.swapdims", aliasRule, true},
      {"aten.unflatten", unflattenRule, true},
      {"aten.view_as", viewAsRule, true},
  };
  return rules;
}

} // namespace ccgraph::equality
