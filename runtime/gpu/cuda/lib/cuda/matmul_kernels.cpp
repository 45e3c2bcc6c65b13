#include "cuda/planner.h"
#include "device/gemm_call.h"

namespace ccgraph::runtime::cuda {
namespace {

/// [rows, columns], or a batch of such.
device::Matrices matricesOf(Planner &planner, const Tensor &tensor) {
  device::Strided begun = planner.begin(tensor);
  int64_t rank = tensor.rank();
  return {{begun.data, begun.element, tensor.stride(rank - 2), tensor.stride(rank - 1)},
          rank == 3 ? tensor.stride(0) : 0};
}

/// A bias is added as it lies where the device's library adds it. All else is copied to the result first, since that is
/// what the library adds besides.
void add(Planner &planner, device::MatmulJob &job, const Tensor &added, const Tensor &out) {
  Tensor wide = planner.args.take(added.expand(out.sizes()));
  if (planner.args.failed())
    return;
  job.added = matricesOf(planner, wide);
  if (gemmCallOf(job))
    return;
  planner.copy(out, added);
  job.added = job.out;
}

struct Product {
  Tensor a, b;
  std::optional<Tensor> added = std::nullopt;
  double alpha = 1, beta = 0;
};

/// Both of one rank, 2 or 3.
void multiply(Planner &planner, const Tensor &out, const Product &product) {
  const auto &[a, b, added, alpha, beta] = product;
  if (planner.args.failed())
    return;
  int64_t rank = a.rank();
  bool fits =
      (rank == 2 || rank == 3) && b.rank() == rank && out.rank() == rank && a.size(rank - 1) == b.size(rank - 2) &&
      out.size(rank - 2) == a.size(rank - 2) && out.size(rank - 1) == b.size(rank - 1) &&
      (rank == 2 || (a.size(0) == b.size(0) && a.size(0) == out.size(0))) && (!added || added->dtype() == out.dtype());
  if (!planner.args.check(fits, "got " + typeOf(a) + " and " + typeOf(b) + " for " + typeOf(out)))
    return;
  device::MatmulJob job;
  job.arithmetic = arithmeticOf(a.dtype());
  job.batch = rank == 3 ? a.size(0) : 1;
  job.rows = out.size(rank - 2);
  job.columns = out.size(rank - 1);
  job.depth = a.size(rank - 1);
  job.a = matricesOf(planner, a);
  job.b = matricesOf(planner, b);
  job.out = matricesOf(planner, out);
  job.alpha = alpha;
  job.beta = beta;
  // An addend with weight 0 is not read: it may be NaN.
  if (added && beta != 0)
    add(planner, job, *added, out);
  if (out.numElements() != 0)
    planner.add(job);
}

void matmul(Planner &planner) { multiply(planner, planner.result(), {planner.args.tensor(0), planner.args.tensor(1)}); }

/// (self, a, b, beta, alpha)
void matmulAdded(Planner &planner) {
  multiply(planner, planner.result(),
           {planner.args.tensor(1), planner.args.tensor(2), planner.args.tensor(0), planner.args.number(4, 1),
            planner.args.number(3, 1)});
}

/// [..., n] as [all, n].
Tensor flattened(Planner &planner, const Tensor &tensor) {
  if (tensor.rank() == 0)
    return tensor;
  int64_t last = tensor.size(tensor.rank() - 1);
  int64_t rows = last == 0 ? productOf(tensor.sizes().drop_back()) : tensor.numElements() / last;
  return planner.args.take(tensor.view({rows, last}));
}

/// (input, weight, bias): input times the weight turned.
void linear(Planner &planner) {
  const Tensor &weight = planner.args.tensor(1);
  Tensor out = planner.result();
  if (planner.args.failed() || !planner.args.check(weight.rank() == 2, "got a weight " + typeOf(weight)))
    return;
  multiply(planner, flattened(planner, out),
           {flattened(planner, planner.args.tensor(0)), weight.permute({1, 0}), planner.args.optionalTensor(2), 1, 1});
}

} // namespace

std::vector<DeviceOperator> matmulOperators() {
  return {
      {"aten.addmm.default", matmulAdded}, {"aten.baddbmm.default", matmulAdded}, {"aten.bmm.default", matmul},
      {"aten.bmm.dtype", matmul},          {"aten.linear.default", linear},       {"aten.mm.default", matmul},
      {"aten.mm.dtype", matmul},
  };
}

} // namespace ccgraph::runtime::cuda
