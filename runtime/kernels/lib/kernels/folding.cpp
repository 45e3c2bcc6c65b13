#include "kernels/calls.h"
#include "kernels/dense_values.h"
#include "kernels/families.h"

#include <algorithm>

// Sliding blocks as columns, and their sum (torch.nn.functional.unfold, fold).
namespace ccgraph::runtime {
namespace {

/// Blocks of an image, for its height and width.
struct Blocks {
  IntList image, kernel, dilation, padding, stride, count;
};

/// `first`: the arguments kernel_size, dilation, padding, stride.
Blocks blocksOf(KernelArgs &args, unsigned first, IntListRef image) {
  Blocks b{toIntList(image),
           perDimension(args, first, 2, {}),
           perDimension(args, first + 1, 2, IntList{1, 1}),
           perDimension(args, first + 2, 2, IntList{0, 0}),
           perDimension(args, first + 3, 2, IntList{1, 1}),
           {}};
  for (size_t d = 0; d < 2 && !args.failed(); ++d) {
    bool fits = image.size() == 2 && b.kernel.size() == 2 && b.kernel[d] > 0 && b.dilation[d] > 0 &&
                b.padding[d] >= 0 && b.stride[d] > 0;
    if (!args.check(fits, "got kernel_size " + dimsOf(b.kernel) + ", dilation " + dimsOf(b.dilation) + ", padding " +
                              dimsOf(b.padding) + " and stride " + dimsOf(b.stride)))
      return b;
    int64_t free = image[d] + 2 * b.padding[d] - b.dilation[d] * (b.kernel[d] - 1) - 1;
    b.count.push_back(free < 0 ? 0 : free / b.stride[d] + 1);
    args.check(free >= 0, "got blocks " + dimsOf(b.kernel) + ", larger than the image " + dimsOf(image));
  }
  return b;
}

/// Calls body(element of the columns, pixel) for one channel: columns are [kernel elements, blocks].
template <typename Body>
void forEachPixel(const Blocks &b, Body body) {
  int64_t column = 0;
  for (int64_t ky = 0; ky < b.kernel[0]; ++ky)
    for (int64_t kx = 0; kx < b.kernel[1]; ++kx)
      for (int64_t by = 0; by < b.count[0]; ++by)
        for (int64_t bx = 0; bx < b.count[1]; ++bx, ++column) {
          int64_t y = by * b.stride[0] - b.padding[0] + ky * b.dilation[0];
          int64_t x = bx * b.stride[1] - b.padding[1] + kx * b.dilation[1];
          if (y >= 0 && y < b.image[0] && x >= 0 && x < b.image[1])
            body(column, y * b.image[1] + x);
        }
}

/// (self, kernel_size, dilation, padding, stride): [N, C, H, W] -> [N, C * kernel elements, blocks]
Value imageToColumns(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  if (args.failed() || !args.check(self.rank() == 3 || self.rank() == 4, "got " + typeOf(self)))
    return {};
  Blocks b = blocksOf(args, 1, self.sizes().take_back(2));
  if (args.failed())
    return {};
  int64_t cells = productOf(b.kernel), blocks = productOf(b.count), plane = productOf(b.image);
  int64_t planes = productOf(self.sizes().drop_back(2));
  IntList sizes = toIntList(self.sizes().drop_back(3));
  sizes.append({self.size(self.rank() - 3) * cells, blocks});
  Tensor from = self.contiguous(), result = args.zeroResult(self.dtype(), sizes);
  int64_t size = self.elementSize();
  for (int64_t p = 0; p < planes; ++p)
    forEachPixel(b, [&](int64_t column, int64_t pixel) {
      std::copy_n(from.data() + (p * plane + pixel) * size, size, result.data() + (p * cells * blocks + column) * size);
    });
  return result;
}

/// (self, output_size, kernel_size, dilation, padding, stride): the transpose; blocks that overlap add up.
Value columnsToImage(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  IntList image = args.integers(1);
  bool known = (self.rank() == 2 || self.rank() == 3) && computable(self.dtype());
  if (args.failed() || !args.check(known, "got " + typeOf(self)))
    return {};
  Blocks b = blocksOf(args, 2, image);
  if (args.failed())
    return {};
  int64_t cells = productOf(b.kernel), blocks = productOf(b.count), plane = productOf(b.image);
  int64_t rows = self.size(self.rank() - 2);
  if (!args.check(rows % cells == 0 && self.sizes().back() == blocks,
                  "got " + typeOf(self) + ", expected a multiple of " + llvm::Twine(cells) + " rows and " +
                      llvm::Twine(blocks) + " columns"))
    return {};
  IntList sizes = toIntList(self.sizes().drop_back(2));
  sizes.append({rows / cells, image[0], image[1]});
  Tensor result = Tensor::zeros(self.dtype(), sizes);
  Tensor columns = llvm::cantFail(self.contiguous().view({-1, cells * blocks}));
  Tensor pixels = llvm::cantFail(result.view({-1, plane}));
  Scratch<int64_t> from, to;
  forEachPixel(b, [&](int64_t column, int64_t pixel) {
    from.push_back(column);
    to.push_back(pixel);
  });
  auto count = static_cast<int64_t>(from.size());
  Tensor chosen =
      callForTensor(args, "aten.index_select.default", {columns, Value::integer(1), tensorOf(from, DType::I64, count)});
  Tensor sums = callForTensor(args, "aten.index_add.default",
                              {pixels, Value::integer(1), tensorOf(to, DType::I64, count), chosen});
  return args.failed() ? Value() : Value(llvm::cantFail(sums.view(sizes)));
}

const Kernel foldingTable[] = {
    {"aten.col2im.default", "self,output_size,kernel_size,dilation,padding,stride", columnsToImage},
    {"aten.im2col.default", "self,kernel_size,dilation,padding,stride", imageToColumns},
};

} // namespace

llvm::ArrayRef<Kernel> foldingKernels() { return foldingTable; }

} // namespace ccgraph::runtime
