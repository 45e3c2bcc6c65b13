// Convolutions in any number of dimensions, their transposes and gradients.
//
// A convolution is a sum of terms input[i] weight[k] -> output[o] over all places at which the window covers the input.
// The gradient of each of the three is a sum over the same terms, and a transposed convolution is the same sum with
// input and output exchanged.
#include "rules/compose.h"
#include "rules/reductions.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::equality {
namespace {

struct Window {
  /// of the smaller side: [batch, channels, ...]; the output, or the input of a transposed convolution
  IntList outer;
  /// of the larger side
  IntList inner;
  /// [channels of outer, channels of inner / groups, ...]
  IntList weight;
  IntList stride, padding, dilation;
  int64_t groups = 1;
};

/// Calls `visit(place in outer, place in inner, place in weight)` for each term.
template <class Visit>
void forEachTerm(const Window &window, Visit visit) {
  const size_t dims = window.weight.size() - 2;
  IntList outerStrides = contiguousStrides(window.outer), innerStrides = contiguousStrides(window.inner);
  const int64_t outerChannels = window.outer[1] / window.groups, innerChannels = window.weight[1];
  IntList at(window.outer.begin() + 2, window.outer.end()), kernel(window.weight.begin() + 2, window.weight.end());
  const int64_t places = productOf(at), taps = productOf(kernel);
  IntList placeStrides = contiguousStrides(at), tapStrides = contiguousStrides(kernel);
  for (int64_t place = 0; place != places; ++place)
    for (int64_t tap = 0; tap != taps; ++tap) {
      int64_t inside = 0;
      bool covers = true;
      for (size_t d = 0; d != dims; ++d) {
        int64_t x = place / placeStrides[d] % at[d] * window.stride[d] - window.padding[d] +
                    tap / tapStrides[d] % kernel[d] * window.dilation[d];
        covers &= x >= 0 && x < window.inner[d + 2];
        inside += x * innerStrides[d + 2];
      }
      for (int64_t n = 0; covers && n != window.outer[0]; ++n)
        for (int64_t o = 0; o != window.outer[1]; ++o)
          for (int64_t i = 0; i != innerChannels; ++i) {
            int64_t channel = o / outerChannels * innerChannels + i;
            visit(n * outerStrides[0] + o * outerStrides[1] + place,
                  n * innerStrides[0] + channel * innerStrides[1] + inside, (o * innerChannels + i) * taps + tap);
          }
    }
}

/// Returns one number for each dimension; a list of one number is for all.
IntList numbersOf(Call &call, size_t position, size_t dims) {
  IntList numbers = call.integers(position);
  if (numbers.size() == 1)
    numbers.assign(dims, numbers[0]);
  call.require(numbers.size() == dims, "a convolution whose window has another number of dimensions");
  return numbers;
}

/// Reads stride, padding, dilation, transposed, output_padding and groups from `first` on.
Window windowOf(Call &call, size_t first, IntListRef input, IntListRef weight) {
  Window window;
  window.weight = toIntList(weight);
  call.require(weight.size() >= 3 && input.size() == weight.size(),
               "a convolution of " + intListText(input) + " by " + intListText(weight));
  if (call.failed())
    return window;
  const size_t dims = weight.size() - 2;
  window.stride = numbersOf(call, first, dims);
  window.padding = numbersOf(call, first + 1, dims);
  window.dilation = numbersOf(call, first + 2, dims);
  window.groups = call.integer(first + 5, 1);
  const bool isTransposed = call.flag(first + 3);
  call.require(window.groups > 0 && weight[0] % window.groups == 0 &&
                   input[1] == (isTransposed ? weight[0] : weight[1] * window.groups),
               "a convolution of " + intListText(input) + " by " + intListText(weight));
  for (int64_t number : window.stride)
    call.require(number > 0, "a stride of " + llvm::Twine(number));
  return window;
}

/// Returns the sizes of the result.
IntList resultSizes(Call &call, const Window &window, IntListRef input, size_t first) {
  const bool isTransposed = call.flag(first + 3);
  const size_t dims = input.size() - 2;
  IntList more = isTransposed ? numbersOf(call, first + 4, dims) : IntList(dims, 0);
  IntList sizes = {input[0], isTransposed ? window.weight[1] * window.groups : window.weight[0]};
  for (size_t d = 0; d != dims && !call.failed(); ++d) {
    int64_t reach = window.dilation[d] * (window.weight[d + 2] - 1);
    int64_t length = isTransposed ? (input[d + 2] - 1) * window.stride[d] - 2 * window.padding[d] + reach + more[d] + 1
                                  : (input[d + 2] + 2 * window.padding[d] - reach - 1) / window.stride[d] + 1;
    call.require(length >= 0, "a window that is larger than the input");
    sizes.push_back(length);
  }
  return sizes;
}

void addProduct(Word &to, Word a, Word b) { to = add(to, multiply(a, b)); }
Array zeros(IntListRef sizes) { return filled(Kind::Float, sizes, 0); }
/// Makes an array of a sum of products of two arrays.
Array sumOfTerms(const Array &like, Words words, const Array &a, const Array &b) {
  return makeArray(Kind::Float, like.sizes, std::move(words), std::min(a.digits, b.digits));
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
Value convolutionRule(Call &call) {
  Array input = call.floats(0), weight = call.floats(1);
  Window window = windowOf(call, 3, input.sizes, weight.sizes);
  IntList sizes = call.failed() ? IntList() : resultSizes(call, window, input.sizes, 3);
  if (call.failed())
    return {};
  const bool isTransposed = call.flag(6);
  window.outer = isTransposed ? input.sizes : sizes;
  window.inner = isTransposed ? sizes : input.sizes;
  Array result = zeros(sizes);
  Words words(*result.words);
  forEachTerm(window, [&](int64_t outer, int64_t inner, int64_t tap) {
    addProduct(words[static_cast<size_t>(isTransposed ? inner : outer)], input[isTransposed ? outer : inner],
               weight[tap]);
  });
  Array output = sumOfTerms(result, std::move(words), input, weight);
  if (!call.has(2))
    return Value(output);
  Array bias = call.floats(2);
  IntList column(sizes.size() - 1, 1);
  column[0] = bias.count();
  return Value(sumOf(call, output, reshaped(bias, column)));
}

// convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
// output_mask) -> gradients of input, weight and bias
Value convolutionBackwardRule(Call &call) {
  Array grad = call.floats(0), input = call.floats(1), weight = call.floats(2);
  Window window = windowOf(call, 4, input.sizes, weight.sizes);
  call.require(call.failed() || grad.sizes == resultSizes(call, window, input.sizes, 4),
               "a gradient of other sizes than the result");
  if (call.failed())
    return {};
  const bool isTransposed = call.flag(7);
  window.outer = isTransposed ? input.sizes : grad.sizes;
  window.inner = isTransposed ? grad.sizes : input.sizes;
  Words ofInput(input.words->size(), 0), ofWeight(weight.words->size(), 0);
  forEachTerm(window, [&](int64_t outer, int64_t inner, int64_t tap) {
    const int64_t in = isTransposed ? outer : inner, out = isTransposed ? inner : outer;
    addProduct(ofInput[static_cast<size_t>(in)], grad[out], weight[tap]);
    addProduct(ofWeight[static_cast<size_t>(tap)], grad[out], input[in]);
  });
  IntList butChannels = allDims(static_cast<int64_t>(grad.sizes.size()));
  butChannels.erase(butChannels.begin() + 1);
  return Value(std::vector<Value>{Value(sumOfTerms(input, std::move(ofInput), grad, weight)),
                                  Value(sumOfTerms(weight, std::move(ofWeight), grad, input)),
                                  Value(sumOver(grad, butChannels, false))});
}

} // namespace

llvm::ArrayRef<RuleEntry> convolutionRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.convolution", convolutionRule},
      {"aten.convolution_backward", convolutionBackwardRule},
  };
  return rules;
}

} // namespace ccgraph::equality
