#include "kernels/calls.h"
#include "kernels/dense_values.h"
#include "kernels/families.h"
#include "kernels/memory_format.h"

#include <algorithm>

// Padding by elements of the input: reflected at its ends, or its last element repeated (torch.nn.functional.pad).
namespace ccgraph::runtime {
namespace {

/// Numbers of elements that are added at both ends of a dimension; negative ones crop.
struct Ends {
  int64_t before;
  int64_t after;
};

/// The element of a dimension of `size` elements that is read at `at`, which may lie outside.
using Outside = int64_t (*)(int64_t at, int64_t size);
/// [0, 1, 2] padded by 2: 2, 1, 0, 1, 2, 1, 0.
int64_t reflected(int64_t at, int64_t size) { return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at; }
/// [0, 1, 2] padded by 2: 0, 0, 0, 1, 2, 2, 2.
int64_t repeated(int64_t at, int64_t size) { return std::clamp<int64_t>(at, 0, size - 1); }

/// The elements that each position of the padded dimension reads.
Tensor readAlong(int64_t size, Ends ends, Outside outside) {
  Scratch<int64_t> places;
  for (int64_t at = -ends.before; at < size + ends.after; ++at)
    places.push_back(outside(at, size));
  return tensorOf(places, DType::I64, static_cast<int64_t>(places.size()));
}

/// Argument `index`, (before, after) of the last dimension first, in the order of the dimensions.
llvm::SmallVector<Ends, 3> endsOf(KernelArgs &args, unsigned index, const Tensor &self, size_t rank) {
  IntList pad = args.integers(index);
  bool fits = pad.size() == 2 * rank && self.rank() > static_cast<int64_t>(rank) &&
              self.rank() <= static_cast<int64_t>(rank) + 2;
  llvm::SmallVector<Ends, 3> ends;
  if (args.failed() ||
      !args.check(fits, "got padding " + dimsOf(pad) + " for " + typeOf(self) + ", expected two numbers for each of " +
                            llvm::Twine(rank) + " dimensions, and one or two dimensions before them"))
    return ends;
  for (size_t d = rank; d-- > 0;)
    ends.push_back({pad[2 * d], pad[2 * d + 1]});
  return ends;
}

bool checkEnds(KernelArgs &args, int64_t size, Ends ends, Outside outside) {
  bool inside = outside != reflected || (ends.before < size && ends.after < size);
  return args.check(inside && size > 0 && size + ends.before + ends.after > 0,
                    "got padding " + llvm::Twine(ends.before) + " and " + llvm::Twine(ends.after) +
                        " of a dimension of " + llvm::Twine(size) +
                        " elements, expected a result that is not empty, and less than the size where it is reflected");
}

/// (self, padding)
template <size_t rank, Outside outside>
Value pad(KernelArgs &args) {
  const Tensor &self = args.tensor(0);
  llvm::SmallVector<Ends, 3> ends = endsOf(args, 1, self, rank);
  Tensor result = self;
  for (size_t d = 0; d < ends.size() && !args.failed(); ++d) {
    auto dim = self.rank() - static_cast<int64_t>(rank) + static_cast<int64_t>(d);
    if (checkEnds(args, self.size(dim), ends[d], outside))
      result = callForTensor(args, "aten.index_select.default",
                             {result, Value::integer(dim), readAlong(self.size(dim), ends[d], outside)});
  }
  return args.failed() ? Value() : Value(copyOf(args, result, suggestedStrides(result.sizes(), self)));
}

/// (grad_output, self, padding): each element of the gradient is added where its element was read.
template <size_t rank, Outside outside>
Value padBackward(KernelArgs &args) {
  Tensor grad = args.tensor(0);
  const Tensor &self = args.tensor(1);
  llvm::SmallVector<Ends, 3> ends = endsOf(args, 2, self, rank);
  for (size_t d = ends.size(); d-- > 0 && !args.failed();) {
    auto dim = self.rank() - static_cast<int64_t>(rank) + static_cast<int64_t>(d);
    IntList sizes = toIntList(grad.sizes());
    sizes[dim] = self.size(dim);
    if (checkEnds(args, self.size(dim), ends[d], outside))
      grad = callForTensor(
          args, "aten.index_add.default",
          {Tensor::zeros(grad.dtype(), sizes), Value::integer(dim), readAlong(self.size(dim), ends[d], outside), grad});
  }
  return args.failed() ? Value() : Value(copyOf(args, grad, suggestedStrides(grad.sizes(), self)));
}

constexpr llvm::StringLiteral names = "self,padding";
constexpr llvm::StringLiteral gradNames = "grad_output,self,padding";

const Kernel paddingTable[] = {
    {"aten.reflection_pad1d.default", names, pad<1, reflected>},
    {"aten.reflection_pad1d_backward.default", gradNames, padBackward<1, reflected>},
    {"aten.reflection_pad2d.default", names, pad<2, reflected>},
    {"aten.reflection_pad2d_backward.default", gradNames, padBackward<2, reflected>},
    {"aten.reflection_pad3d.default", names, pad<3, reflected>},
    {"aten.reflection_pad3d_backward.default", gradNames, padBackward<3, reflected>},
    {"aten.replication_pad1d.default", names, pad<1, repeated>},
    {"aten.replication_pad1d_backward.default", gradNames, padBackward<1, repeated>},
    {"aten.replication_pad2d.default", names, pad<2, repeated>},
    {"aten.replication_pad2d_backward.default", gradNames, padBackward<2, repeated>},
    {"aten.replication_pad3d.default", names, pad<3, repeated>},
    {"aten.replication_pad3d_backward.default", gradNames, padBackward<3, repeated>},
};

} // namespace

llvm::ArrayRef<Kernel> paddingKernels() { return paddingTable; }

} // namespace ccgraph::runtime
