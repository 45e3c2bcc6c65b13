#include "cuda/planner.h"
#include "kernels/indexing.h"

namespace ccgraph::runtime::cuda {
namespace {

using device::RowOp;
using Rows = Planner::Rows;

RowSizes lineSizes(const Tensor &tensor, int64_t dim) {
  RowSizes sizes{toIntList(tensor.sizes()), {tensor.size(dim)}};
  sizes.rows.erase(sizes.rows.begin() + dim);
  return sizes;
}
device::RowJob rowJob(RowOp op, const Tensor &self) {
  device::RowJob job;
  job.op = op;
  job.arithmetic = arithmeticOf(self.dtype());
  return job;
}

// --- The largest and its place ------------------------------------------------------------------------------

/// One number for each line of `self`: the result has a one along the dimension, or leaves it out.
Rows perLine(Planner &planner, const std::optional<Tensor> &out, const Tensor &self, int64_t dim) {
  if (!out)
    return {};
  Tensor lines = atLeastOneDim(*out);
  if (out->rank() < self.rank() && self.rank() > 1)
    lines = out->unsqueeze(dim);
  if (!planner.args.check(lines.rank() == self.rank() && lines.size(dim) == 1,
                          "got a result " + typeOf(*out) + " for " + typeOf(self)))
    return {};
  Rows rows = linesAlong(lines, dim);
  rows.innerStrides = {0};
  return rows;
}

void placeAlong(Planner &planner, RowOp op, const Tensor &self, int64_t dim, std::pair<unsigned, unsigned> results) {
  if (planner.args.failed() || !planner.args.check(self.size(dim) > 0, "got an empty dimension"))
    return;
  auto at = [&](unsigned index) { return perLine(planner, planner.destination(index), self, dim); };
  Rows values = results.first == noArgument ? Rows() : at(results.first), places = at(results.second);
  if (!planner.args.failed())
    planner.rows(rowJob(op, self), lineSizes(self, dim), {linesAlong(self, dim)}, {values, places});
}

/// (self, dim, keepdim) -> (values, indices)
template <RowOp op>
void extremeOfDim(Planner &planner) {
  Tensor self = atLeastOneDim(planner.args.tensor(0));
  placeAlong(planner, op, self, planner.args.dim(1, self.rank()), {0, 1});
}

/// (self, dim, keepdim) -> places; without a dimension the place among all elements, row-major.
template <RowOp op>
void placeOfExtreme(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  if (planner.args.has(1))
    return placeAlong(planner, op, atLeastOneDim(self), planner.args.dim(1, self.rank()), {noArgument, 0});
  Tensor out = planner.result();
  if (!planner.args.failed() && planner.args.check(self.numElements() > 0, "got no elements, expected some"))
    planner.rows(rowJob(op, self), {{}, toIntList(self.sizes())}, {{self, {}, toIntList(self.strides())}},
                 {{}, {out, {}, IntList(static_cast<size_t>(self.rank()), 0)}});
}

// --- Sorted lines -------------------------------------------------------------------------------------------

/// Computes the first `count` elements of each line and their indices, in falling order where `falls` is set.
void sortAlong(Planner &planner, int64_t dim, bool falls, int64_t count) {
  Tensor self = atLeastOneDim(planner.args.tensor(0));
  if (planner.args.failed() ||
      !planner.args.check(count >= 0 && count <= self.size(dim), "got k = " + llvm::Twine(count)))
    return;
  auto lines = [&](unsigned index) {
    std::optional<Tensor> out = planner.destination(index);
    if (!out)
      return Rows();
    planner.checkApart(self, *out);
    return linesAlong(atLeastOneDim(*out), dim);
  };
  device::RowJob job = rowJob(falls ? RowOp::SortedDown : RowOp::Sorted, self);
  job.count = count;
  planner.rows(job, lineSizes(self, dim), {linesAlong(self, dim)}, {lines(0), lines(1)});
}

void sortBy(Planner &planner, unsigned dimIndex) {
  const Tensor &self = planner.args.tensor(0);
  int64_t dim = planner.args.dim(dimIndex, self.rank(), -1);
  sortAlong(planner, dim, planner.args.boolean(dimIndex + 1, false), self.rank() == 0 ? 1 : self.size(dim));
}
/// (self, dim, descending)
void sort(Planner &planner) { sortBy(planner, 1); }
/// (self, stable, dim, descending)
void sortStable(Planner &planner) { sortBy(planner, 2); }
/// (self, k, dim, largest, sorted)
void topk(Planner &planner) {
  int64_t dim = planner.args.dim(2, planner.args.tensor(0).rank(), -1);
  sortAlong(planner, dim, planner.args.boolean(3, true), planner.args.integer(1));
}

// --- Running sums and triangles -----------------------------------------------------------------------------

/// (self, dim, dtype): in the result's dtype, which the elements are converted to.
void runningSum(Planner &planner) {
  Tensor self = atLeastOneDim(planner.args.tensor(0)), out = atLeastOneDim(planner.result());
  int64_t dim = planner.args.dim(1, self.rank());
  if (planner.args.failed() || !planner.checkApart(self, out))
    return;
  device::ScanJob job;
  job.arithmetic = arithmeticOf(out.dtype());
  Rows from = linesAlong(self, dim), to = linesAlong(out, dim);
  Planner::Walk walk = planner.lay(lineSizes(self, dim), {{&from, &job.in}, {&to, &job.out}});
  job.lines = walk.rows;
  job.steps = walk.inner;
  if (job.lines.count != 0)
    planner.add(job);
}

/// (self, diagonal)
template <RowOp op>
void triangle(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  Tensor out = planner.result();
  if (planner.args.failed() || !planner.args.check(self.rank() >= 2, "got " + typeOf(self)))
    return;
  int64_t last = self.rank() - 1;
  device::RowJob job = rowJob(op, self);
  job.number = static_cast<double>(planner.args.integer(1, 0));
  job.count = self.size(last - 1);
  planner.rows(job, lineSizes(self, last), {linesAlong(self, last)}, {linesAlong(out, last)});
}

} // namespace

std::vector<DeviceOperator> orderOperators() {
  return {
      {"aten.argmax.default", placeOfExtreme<RowOp::MaxPlace>},
      {"aten.argmin.default", placeOfExtreme<RowOp::MinPlace>},
      {"aten.cumsum.default", runningSum},
      {"aten.max.dim", extremeOfDim<RowOp::MaxPlace>},
      {"aten.min.dim", extremeOfDim<RowOp::MinPlace>},
      {"aten.sort.default", sort},
      {"aten.sort.stable", sortStable},
      {"aten.topk.default", topk},
      {"aten.tril.default", triangle<RowOp::Lower>},
      {"aten.triu.default", triangle<RowOp::Upper>},
  };
}

} // namespace ccgraph::runtime::cuda
