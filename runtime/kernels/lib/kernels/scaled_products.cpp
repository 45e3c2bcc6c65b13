// Products of float8 matrices with scales: _scaled_mm. Each factor is its f8 numbers times an f32 scale, which belongs
// to the whole matrix (one number), or to a row of the first and to a column of the second factor. These are the two
// forms that PyTorch computes on CPUs.
#include "kernels/families.h"
#include "kernels/kernel_args.h"
#include "kernels/products.h"
#include "tensor/elements.h"

namespace ccgraph::runtime {
namespace {

bool isFloat8(DType dtype) { return dtype == DType::F8E4M3FN || dtype == DType::F8E5M2; }

/// Returns the matrix with its scale, which is broadcast to its sizes.
RealMatrix scaledValues(const Tensor &matrix, const Tensor &scale) {
  RealMatrix result(matrix.size(0), matrix.size(1));
  Scratch<double> factors(static_cast<size_t>(matrix.size(1)));
  for (int64_t i = 0; i < result.rows && result.columns > 0; ++i) {
    llvm::MutableArrayRef<double> row(result.row(i), static_cast<size_t>(result.columns));
    readRow<double>(matrix.dtype(), {matrix.select(0, i).data(), strideBytes(matrix, 1)}, row);
    readRow<double>(scale.dtype(), {scale.select(0, i).data(), strideBytes(scale, 1)}, factors);
    for (size_t j = 0; j != row.size(); ++j)
      row[j] *= factors[j];
  }
  return result;
}

/// Adds the bias to each row and rounds to the dtype of the result.
void writeSums(const Tensor &result, RealMatrix sums, const std::optional<Tensor> &bias) {
  Scratch<double> added(static_cast<size_t>(bias ? sums.columns : 0));
  if (bias)
    readRow<double>(bias->dtype(), {bias->data(), strideBytes(*bias, 0)}, added);
  for (int64_t i = 0; i < sums.rows && sums.columns > 0; ++i) {
    llvm::MutableArrayRef<double> row(sums.row(i), static_cast<size_t>(sums.columns));
    for (size_t j = 0; j != added.size(); ++j)
      row[j] += added[j];
    writeRow<double>(result.dtype(), {result.select(0, i).data(), strideBytes(result, 1)}, row);
  }
}

/// Returns the scale with the sizes of its matrix.
Tensor stretched(KernelArgs &args, const Tensor &scale, const Tensor &matrix) {
  const Tensor whole = scale.numElements() == 1 ? scale.reinterpret(scale.dtype(), {{}, {}, scale.offset()}) : scale;
  return args.take(whole.expand(matrix.sizes()));
}

bool checkFactors(KernelArgs &args, const Tensor &a, const Tensor &b) {
  args.check(isFloat8(a.dtype()) && isFloat8(b.dtype()),
             "got dtypes " + shortName(a.dtype()) + " and " + shortName(b.dtype()) + ", expected f8e4m3fn or f8e5m2");
  args.check(a.rank() == 2 && b.rank() == 2 && a.size(1) == b.size(0),
             "got " + typeOf(a) + " times " + typeOf(b) + ", expected [n, k] times [k, m]");
  args.check(!args.has(5), "got a scale_result, which is not supported, expected None");
  return !args.failed();
}

bool checkScales(KernelArgs &args, const Tensor &a, const Tensor &b) {
  const Tensor &ofA = args.tensor(2), &ofB = args.tensor(3);
  const bool isOfLines = ofA.sizes() == IntListRef({a.size(0), 1}) && ofB.sizes() == IntListRef({1, b.size(1)});
  const bool isOfWholes = ofA.numElements() == 1 && ofB.numElements() == 1;
  return args.check(ofA.dtype() == DType::F32 && ofB.dtype() == DType::F32 && (isOfLines || isOfWholes),
                    "got the scales " + typeOf(ofA) + " and " + typeOf(ofB) + " for " + typeOf(a) + " and " +
                        typeOf(b) + ", expected f32 with one element each, or [n, 1] and [1, m]");
}

bool checkBias(KernelArgs &args, const std::optional<Tensor> &bias, int64_t columns) {
  return !bias ||
         args.check(bias->sizes() == IntListRef({columns}) && isFloat(bias->dtype()) && computable(bias->dtype()),
                    "got the bias " + typeOf(*bias) + ", expected floats [" + llvm::Twine(columns) + "]");
}

Value scaledMm(KernelArgs &args) {
  const Tensor &a = args.tensor(0);
  const Tensor &b = args.tensor(1);
  const std::optional<Tensor> bias = args.optionalTensor(4);
  const DType dtype = args.dtype(6, a.dtype());
  if (args.failed() || !checkFactors(args, a, b) || !checkScales(args, a, b) || !checkBias(args, bias, b.size(1)))
    return {};
  const Tensor scaleA = stretched(args, args.tensor(2), a), scaleB = stretched(args, args.tensor(3), b);
  const Tensor result = args.result(dtype, {a.size(0), b.size(1)});
  if (!args.failed())
    writeSums(result, product(scaledValues(a, scaleA), scaledValues(b, scaleB)), bias);
  return result;
}

const Kernel scaledProductTable[] = {
    {"aten._scaled_mm.default", "self,mat2,scale_a,scale_b,bias,scale_result,out_dtype,use_fast_accum", scaledMm},
};

} // namespace

llvm::ArrayRef<Kernel> scaledProductKernels() { return scaledProductTable; }

} // namespace ccgraph::runtime
