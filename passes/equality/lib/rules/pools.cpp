// Pooling and interpolation in one to three dimensions.
//
// Along each dimension an element of the result is a sum of elements of the input with weights: an average has equal
// weights, the nearest element one weight of 1, a linear interpolation two. The gradient uses the same weights.
#include "rules/compose.h"

#include "ccgraph/ir/strides.h"

#include <cmath>

namespace ccgraph::equality {
namespace {

struct Tap {
  int64_t place = 0;
  Word weight = 0;
};
/// For each place of the result along one dimension, what it reads.
using Taps = std::vector<std::vector<Tap>>;

/// The last dimensions of an array, over which a window moves; those before are one.
struct Planes {
  IntList before;
  IntList sizes;
};
Planes planesOf(Call &call, IntListRef sizes, size_t dims) {
  call.require(sizes.size() >= dims, "a window in more dimensions than " + intListText(sizes) + " has");
  if (call.failed())
    return {};
  return {toIntList(sizes.drop_back(dims)), toIntList(sizes.take_back(dims))};
}

/// Calls `visit(place in a plane of the result, place in one of the input, weight)`.
template <class Visit>
void forEachTap(llvm::ArrayRef<Taps> taps, IntListRef input, Visit visit) {
  int64_t places = 1;
  for (const Taps &along : taps)
    places *= static_cast<int64_t>(along.size());
  for (int64_t place = 0; place != places; ++place) {
    std::vector<Tap> reads = {{0, fromPlain(1)}};
    int64_t rest = place, count = places;
    for (size_t d = 0; d != taps.size(); ++d) {
      count /= static_cast<int64_t>(taps[d].size());
      std::vector<Tap> next;
      for (const Tap &outer : reads)
        for (const Tap &tap : taps[d][static_cast<size_t>(rest / count)])
          next.push_back({outer.place * input[d] + tap.place, multiply(outer.weight, tap.weight)});
      rest %= count;
      reads = std::move(next);
    }
    for (const Tap &tap : reads)
      visit(place, tap.place, tap.weight);
  }
}

IntList resultOf(const Planes &planes, llvm::ArrayRef<Taps> taps) {
  IntList sizes = planes.before;
  for (const Taps &along : taps)
    sizes.push_back(static_cast<int64_t>(along.size()));
  return sizes;
}

Value applyTaps(Call &call, const Array &input, llvm::ArrayRef<Taps> taps) {
  Planes planes = planesOf(call, input.sizes, taps.size());
  if (call.failed())
    return {};
  IntList sizes = resultOf(planes, taps);
  Words words(static_cast<size_t>(productOf(sizes)), 0);
  const int64_t from = productOf(planes.sizes), batch = productOf(planes.before);
  const int64_t to = batch == 0 ? 0 : static_cast<int64_t>(words.size()) / batch;
  forEachTap(taps, planes.sizes, [&](int64_t out, int64_t in, Word weight) {
    for (int64_t i = 0; i != batch; ++i) {
      Word &word = words[static_cast<size_t>(i * to + out)];
      word = add(word, multiply(weight, input[i * from + in]));
    }
  });
  return Value(makeArray(Kind::Float, sizes, std::move(words), input.digits));
}

/// Returns the gradient of an input of the given sizes.
Value applyTapsBack(Call &call, const Array &grad, IntListRef input, llvm::ArrayRef<Taps> taps) {
  Planes planes = planesOf(call, input, taps.size());
  call.require(call.failed() || grad.sizes == resultOf(planes, taps), "a gradient of other sizes than the result");
  if (call.failed())
    return {};
  Words words(static_cast<size_t>(productOf(input)), 0);
  const int64_t to = productOf(planes.sizes), batch = productOf(planes.before);
  const int64_t from = batch == 0 ? 0 : grad.count() / batch;
  forEachTap(taps, planes.sizes, [&](int64_t out, int64_t in, Word weight) {
    for (int64_t i = 0; i != batch; ++i) {
      Word &word = words[static_cast<size_t>(i * to + in)];
      word = add(word, multiply(weight, grad[i * from + out]));
    }
  });
  return Value(makeArray(Kind::Float, input, std::move(words), grad.digits));
}

/// One number for each of `dims` dimensions; a list of one is for all, and none gives `missing`.
IntList perDimension(Call &call, size_t position, size_t dims, IntListRef missing) {
  IntList numbers = call.integers(position);
  if (numbers.empty())
    numbers = toIntList(missing);
  if (numbers.size() == 1)
    numbers.assign(dims, numbers[0]);
  call.require(numbers.size() == dims, "a window of another number of dimensions");
  for (int64_t number : numbers)
    call.require(number >= 0, "a window of this form");
  if (call.failed())
    numbers.assign(dims, 1);
  return numbers;
}

/// Returns the number of places of a window along a dimension.
int64_t placesOf(int64_t length, int64_t reach, int64_t stride, int64_t padding, bool rounds) {
  int64_t room = length + 2 * padding - reach;
  int64_t places = (rounds ? (room + stride - 1) / stride : room / stride) + 1;
  return rounds && (places - 1) * stride >= length + padding ? places - 1 : places;
}

// avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), from `first` on
std::vector<Taps> averages(Call &call, IntListRef sizes, size_t first, size_t dims) {
  IntList kernel = perDimension(call, first, dims, {}), stride = perDimension(call, first + 1, dims, kernel);
  IntList padding = perDimension(call, first + 2, dims, {0});
  std::vector<Taps> taps(dims);
  const bool rounds = call.flag(first + 3), countsPadding = call.flag(first + 4, true), divides = !call.has(first + 5);
  call.require(sizes.size() >= dims, "a window in more dimensions than the tensor has");
  for (size_t d = 0; d != dims && !call.failed(); ++d) {
    const int64_t length = sizes[sizes.size() - dims + d];
    call.require(kernel[d] > 0 && stride[d] > 0 && length + 2 * padding[d] >= kernel[d], "a window of this form");
    for (int64_t o = 0; !call.failed() && o != placesOf(length, kernel[d], stride[d], padding[d], rounds); ++o) {
      int64_t begin = o * stride[d] - padding[d], end = std::min(begin + kernel[d], length + padding[d]);
      int64_t whole = end - begin;
      begin = std::max<int64_t>(begin, 0), end = std::min(end, length);
      int64_t count = !divides ? 1 : countsPadding ? whole : end - begin;
      Word share = call.field->inverse(numberOfInteger(count));
      if (d == 0 && !divides)
        share = call.field->inverse(numberOfInteger(call.integer(first + 5, 1)));
      taps[d].emplace_back();
      for (int64_t i = begin; i < end; ++i)
        taps[d].back().push_back({i, share});
    }
  }
  return taps;
}
template <size_t dims>
Value averageRule(Call &call) {
  Array input = call.floats(0);
  std::vector<Taps> taps = averages(call, input.sizes, 1, dims);
  return call.failed() ? Value() : applyTaps(call, input, taps);
}
template <size_t dims>
Value averageBackwardRule(Call &call) {
  Array input = call.floats(1);
  std::vector<Taps> taps = averages(call, input.sizes, 2, dims);
  return call.failed() ? Value() : applyTapsBack(call, call.floats(0), input.sizes, taps);
}

/// The averages of ranges that cover a dimension, such as [floor(o n / m), ceil((o + 1) n / m)) of m.
std::vector<Taps> adaptiveAverages(Call &call, IntListRef sizes, IntListRef results) {
  std::vector<Taps> taps(results.size());
  call.require(sizes.size() >= results.size(), "a window in more dimensions than the tensor has");
  for (size_t d = 0; d != results.size() && !call.failed(); ++d) {
    const int64_t length = sizes[sizes.size() - results.size() + d], count = results[d];
    for (int64_t o = 0; o < count; ++o) {
      int64_t begin = o * length / count, end = ((o + 1) * length + count - 1) / count;
      taps[d].emplace_back();
      for (int64_t i = begin; i != end; ++i)
        taps[d].back().push_back({i, call.field->inverse(numberOfInteger(end - begin))});
    }
  }
  return taps;
}
Value adaptiveRule(Call &call) {
  Array input = call.floats(0);
  std::vector<Taps> taps = adaptiveAverages(call, input.sizes, call.integers(1));
  return call.failed() ? Value() : applyTaps(call, input, taps);
}
template <size_t dims>
Value adaptiveBackwardRule(Call &call) {
  Array grad = call.floats(0), input = call.floats(1);
  call.require(grad.sizes.size() >= dims, "a window in more dimensions than the tensor has");
  if (call.failed())
    return {};
  std::vector<Taps> taps = adaptiveAverages(call, input.sizes, IntListRef(grad.sizes).take_back(dims));
  return call.failed() ? Value() : applyTapsBack(call, grad, input.sizes, taps);
}

/// How an interpolation reads one dimension.
struct Resize {
  int64_t from = 0, to = 0;
  /// size of the input for one element of the result
  double scale = 1;
  bool alignsCorners = false;
};
Taps nearest(const Resize &resize) {
  Taps taps;
  for (int64_t o = 0; o != resize.to; ++o) {
    auto place = static_cast<int64_t>(std::floor(static_cast<float>(o) * static_cast<float>(resize.scale)));
    taps.push_back({{std::min(place, resize.from - 1), fromPlain(1)}});
  }
  return taps;
}
Taps linear(const Resize &resize) {
  Taps taps;
  for (int64_t o = 0; o != resize.to; ++o) {
    const auto at = static_cast<double>(o);
    double place = resize.alignsCorners ? at * resize.scale : std::max(0.0, (at + 0.5) * resize.scale - 0.5);
    auto low = std::min(static_cast<int64_t>(place), resize.from - 1);
    Word upper = numberOfReal(place - static_cast<double>(low));
    taps.push_back({{low, subtract(fromPlain(1), upper)}, {std::min(low + 1, resize.from - 1), upper}});
  }
  return taps;
}

/// Reads how the last dimensions are resized. `scales` is the position of the first factor.
std::vector<Taps> resizes(Call &call, IntListRef from, IntListRef to, size_t scales) {
  std::vector<Taps> taps;
  const bool isLinear = call.op->paramIndex("align_corners") >= 0;
  const bool aligns = isLinear && call.flag(static_cast<size_t>(call.op->paramIndex("align_corners")));
  call.require(from.size() >= to.size(), "more resized dimensions than the tensor has");
  for (size_t d = 0; d != to.size() && !call.failed(); ++d) {
    Resize resize{from[from.size() - to.size() + d], to[d], 1, aligns};
    const double given = call.real(scales + d, 0);
    call.require(resize.from > 0 && resize.to > 0, "an interpolation of no elements");
    if (aligns)
      resize.scale = resize.to > 1 ? static_cast<double>(resize.from - 1) / static_cast<double>(resize.to - 1) : 0;
    else
      resize.scale = given > 0 ? 1 / given : static_cast<double>(resize.from) / static_cast<double>(resize.to);
    if (!call.failed())
      taps.push_back(isLinear ? linear(resize) : nearest(resize));
  }
  return taps;
}
size_t firstScale(const Call &call) { return call.op->paramIndex("align_corners") >= 0 ? 1 : 0; }

// upsample(self, output_size, [align_corners,] scales...) and
// upsample.vec(input, output_size, [align_corners,] factors)
Value resizeRule(Call &call) {
  Array input = call.floats(0);
  IntList to = call.integers(1);
  size_t scales = 2 + firstScale(call);
  if (call.op->paramIndex("scale_factors") >= 0) {
    std::vector<Value> factors = call.at(scales).list;
    call.arguments.resize(scales);
    for (size_t d = 0; d != factors.size() && to.size() != factors.size() && input.sizes.size() >= factors.size(); ++d)
      to.push_back(static_cast<int64_t>(static_cast<double>(input.sizes[input.sizes.size() - factors.size() + d]) *
                                        factors[d].real));
    call.arguments.insert(call.arguments.end(), factors.begin(), factors.end());
  }
  std::vector<Taps> taps = resizes(call, input.sizes, to, scales);
  return call.failed() ? Value() : applyTaps(call, input, taps);
}
// upsample_backward(grad, output_size, input_size, [align_corners,] scales...)
Value resizeBackwardRule(Call &call) {
  IntList from = call.integers(2);
  std::vector<Taps> taps = resizes(call, from, call.integers(1), 3 + firstScale(call));
  return call.failed() ? Value() : applyTapsBack(call, call.floats(0), from, taps);
}

// max_pool_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode) -> (values, places in the plane)
template <size_t dims>
Value largestRule(Call &call) {
  Array input = call.floats(0);
  Planes planes = planesOf(call, input.sizes, dims);
  IntList kernel = perDimension(call, 1, dims, {}), stride = perDimension(call, 2, dims, kernel);
  IntList padding = perDimension(call, 3, dims, {0}), dilation = perDimension(call, 4, dims, {1});
  std::vector<Taps> taps(dims);
  for (size_t d = 0; d != dims && !call.failed(); ++d) {
    const int64_t length = planes.sizes[d], reach = dilation[d] * (kernel[d] - 1) + 1;
    call.require(stride[d] > 0 && kernel[d] > 0 && length + 2 * padding[d] >= reach, "a window of this form");
    for (int64_t o = 0; !call.failed() && o != placesOf(length, reach, stride[d], padding[d], call.flag(5)); ++o) {
      taps[d].emplace_back();
      for (int64_t i = 0; i != kernel[d]; ++i)
        if (int64_t at = o * stride[d] - padding[d] + i * dilation[d]; at >= 0 && at < length)
          taps[d].back().push_back({at, fromPlain(1)});
    }
  }
  if (call.failed())
    return {};
  IntList sizes = resultOf(planes, taps);
  Words values(static_cast<size_t>(productOf(sizes)), negativeInfinity), places(values.size(), 0);
  const int64_t from = productOf(planes.sizes), batch = productOf(planes.before);
  const int64_t to = batch == 0 ? 0 : static_cast<int64_t>(values.size()) / batch;
  forEachTap(taps, planes.sizes, [&](int64_t out, int64_t in, Word) {
    for (int64_t i = 0; i != batch; ++i) {
      const auto at = static_cast<size_t>(i * to + out);
      if (Word word = input[i * from + in]; orderKey(word) > orderKey(values[at])) {
        values[at] = word;
        places[at] = static_cast<Word>(in);
      }
    }
  });
  return Value(std::vector<Value>{Value(makeArray(Kind::Float, sizes, std::move(values), input.digits)),
                                  Value(makeArray(Kind::Integer, sizes, std::move(places)))});
}
// max_pool_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, indices)
template <size_t dims>
Value largestBackwardRule(Call &call) {
  Array grad = call.floats(0), input = call.floats(1), places = call.tensor(7);
  Planes planes = planesOf(call, input.sizes, dims);
  call.require(places.kind == Kind::Integer && places.sizes == grad.sizes, "places of other sizes than the gradient");
  if (call.failed())
    return {};
  const int64_t plane = productOf(planes.sizes), batch = productOf(planes.before);
  const int64_t from = std::max<int64_t>(1, batch == 0 ? 0 : grad.count() / batch);
  Words words(input.words->size(), 0);
  for (int64_t i = 0; i != grad.count(); ++i) {
    call.require(places.integer(i) >= 0 && places.integer(i) < plane, "a place outside of its plane");
    if (call.failed())
      return {};
    Word &word = words[static_cast<size_t>(i / from * plane + places.integer(i))];
    word = add(word, grad[i]);
  }
  return Value(makeArray(Kind::Float, input.sizes, std::move(words), grad.digits));
}

} // namespace

llvm::ArrayRef<RuleEntry> poolRules() {
  static constexpr RuleEntry rules[] = {
      {"aten._adaptive_avg_pool2d", adaptiveRule},
      {"aten._adaptive_avg_pool2d_backward", adaptiveBackwardRule<2>},
      {"aten._adaptive_avg_pool3d", adaptiveRule},
      {"aten._adaptive_avg_pool3d_backward", adaptiveBackwardRule<3>},
      {"aten.adaptive_avg_pool1d", adaptiveRule},
      {"aten.adaptive_avg_pool2d", adaptiveRule},
      {"aten.adaptive_avg_pool3d", adaptiveRule},
      {"aten.avg_pool1d", averageRule<1>},
      {"aten.avg_pool2d", averageRule<2>},
      {"aten.avg_pool2d_backward", averageBackwardRule<2>},
      {"aten.avg_pool3d", averageRule<3>},
      {"aten.avg_pool3d_backward", averageBackwardRule<3>},
      {"aten.max_pool2d_with_indices", largestRule<2>},
      {"aten.max_pool2d_with_indices_backward", largestBackwardRule<2>},
      {"aten.max_pool3d_with_indices", largestRule<3>},
      {"aten.max_pool3d_with_indices_backward", largestBackwardRule<3>},
      {"aten.upsample_bilinear2d", resizeRule},
      {"aten.upsample_bilinear2d_backward", resizeBackwardRule},
      {"aten.upsample_linear1d", resizeRule},
      {"aten.upsample_linear1d_backward", resizeBackwardRule},
      {"aten.upsample_nearest1d", resizeRule},
      {"aten.upsample_nearest1d_backward", resizeBackwardRule},
      {"aten.upsample_nearest2d", resizeRule},
      {"aten.upsample_nearest2d_backward", resizeBackwardRule},
      {"aten.upsample_nearest3d", resizeRule},
      {"aten.upsample_nearest3d_backward", resizeBackwardRule},
  };
  return rules;
}

} // namespace ccgraph::equality
