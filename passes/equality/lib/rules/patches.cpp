// Patches: the windows of images as columns, and the sums of columns that are their gradients.
#include "call.h"

namespace ccgraph::equality {
namespace {

/// The windows of an image [.., channels, height, width] and their columns [.., channels * window, windows].
struct Windows {
  IntList kernel, dilation, padding, stride, image;

  [[nodiscard]] int64_t count(size_t d) const {
    return (image[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  /// Calls `visit(place in a channel's columns, place in its image)` for each place inside the image.
  template <class Visit>
  void forEach(Visit visit) const {
    int64_t column = 0;
    for (int64_t ky = 0; ky != kernel[0]; ++ky)
      for (int64_t kx = 0; kx != kernel[1]; ++kx)
        for (int64_t y = 0; y != count(0); ++y)
          for (int64_t x = 0; x != count(1); ++x, ++column) {
            const int64_t row = y * stride[0] - padding[0] + ky * dilation[0];
            const int64_t place = x * stride[1] - padding[1] + kx * dilation[1];
            if (row >= 0 && row < image[0] && place >= 0 && place < image[1])
              visit(column, row * image[1] + place);
          }
  }
  [[nodiscard]] int64_t columns() const { return kernel[0] * kernel[1] * count(0) * count(1); }
};

/// Reads kernel, dilation, padding and stride from `first` on; a number stands for both dimensions.
Windows windowsOf(Call &call, size_t first, const IntList &image) {
  auto pair = [&](size_t position) {
    IntList list = call.integers(position);
    call.require(list.size() == 1 || list.size() == 2, "windows of other dimensions");
    list.resize(2, list.empty() ? 1 : list.front());
    return list;
  };
  Windows windows{pair(first), pair(first + 1), pair(first + 2), pair(first + 3), image};
  call.require(image.size() == 2 && windows.stride[0] > 0 && windows.stride[1] > 0 && windows.count(0) > 0 &&
                   windows.count(1) > 0,
               "windows that do not fit the image");
  return windows;
}

// im2col(self, kernel_size, dilation, padding, stride)
Value imageToColumnsRule(Call &call) {
  Array self = call.floats(0);
  call.require(self.sizes.size() >= 3, "an image without channels");
  if (call.failed())
    return {};
  IntList lead(self.sizes.begin(), self.sizes.end() - 2);
  Windows windows = windowsOf(call, 1, IntList(self.sizes.end() - 2, self.sizes.end()));
  if (call.failed())
    return {};
  const int64_t columns = windows.columns(), pixels = windows.image[0] * windows.image[1];
  Words words(static_cast<size_t>(productOf(lead) * columns), 0);
  for (int64_t i = 0; i != productOf(lead); ++i)
    windows.forEach([&](int64_t column, int64_t place) {
      words[static_cast<size_t>(i * columns + column)] = self[i * pixels + place];
    });
  lead.back() *= windows.kernel[0] * windows.kernel[1];
  lead.push_back(windows.count(0) * windows.count(1));
  return Value(makeArray(Kind::Float, lead, std::move(words), self.digits));
}

// col2im(self, output_size, kernel_size, dilation, padding, stride): adds the windows up
Value columnsToImageRule(Call &call) {
  Array self = call.floats(0);
  IntList image = call.integers(1);
  call.require(self.sizes.size() >= 2 && image.size() == 2, "columns of other dimensions");
  if (call.failed())
    return {};
  Windows windows = windowsOf(call, 2, image);
  IntList lead(self.sizes.begin(), self.sizes.end() - 1);
  const int64_t window = windows.kernel[0] * windows.kernel[1];
  call.require(!call.failed() && lead.back() % window == 0 && self.sizes.back() == windows.count(0) * windows.count(1),
               "columns of other sizes than the windows");
  if (call.failed())
    return {};
  lead.back() /= window;
  const int64_t columns = windows.columns(), pixels = image[0] * image[1];
  Words words(static_cast<size_t>(productOf(lead) * pixels), 0);
  for (int64_t i = 0; i != productOf(lead); ++i)
    windows.forEach([&](int64_t column, int64_t place) {
      Word &word = words[static_cast<size_t>(i * pixels + place)];
      word = add(word, self[i * columns + column]);
    });
  lead.append(image.begin(), image.end());
  return Value(makeArray(Kind::Float, lead, std::move(words), self.digits));
}

} // namespace

llvm::ArrayRef<RuleEntry> patchRules() {
  static constexpr RuleEntry rules[] = {
      {"aten.col2im", columnsToImageRule},
      {"aten.im2col", imageToColumnsRule},
  };
  return rules;
}

} // namespace ccgraph::equality
