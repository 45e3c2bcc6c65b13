#include "ccgraph/ir/internal/broadcast.h"
#include "cuda/planner.h"
#include "kernels/indexing.h"

namespace ccgraph::runtime::cuda {
namespace {

using device::PickOp;
using Rows = Planner::Rows;

bool isIndex(const Tensor &tensor) {
  return !isFloat(tensor.dtype()) && !isComplex(tensor.dtype()) && tensor.dtype() != DType::Bool;
}

/// A place along a dimension of the table, and what names it.
struct Place {
  Rows index;
  int64_t size = 0;
  int64_t stride = 0;
};

/// The elements that are picked, in the planner's terms; the sizes are those of lines, and of the steps of a line.
struct Picking {
  PickOp op = PickOp::Take;
  RowSizes sizes;
  Rows table, other, mask;
  llvm::SmallVector<Place, 2> places;
  bool wraps = false;
  bool clamps = false;
};

/// Reads have no order, so each step becomes a line of its own.
Rows linesOfAll(Rows rows) {
  rows.rowStrides.append(rows.innerStrides);
  rows.innerStrides.clear();
  return rows;
}
Picking linesOfAll(Picking picking) {
  picking.sizes.rows.append(picking.sizes.inner);
  picking.sizes.inner.clear();
  for (Rows *rows : {&picking.table, &picking.other, &picking.mask})
    *rows = linesOfAll(std::move(*rows));
  for (Place &place : picking.places)
    place.index = linesOfAll(std::move(place.index));
  return picking;
}

/// `value` is used where there is no other value.
void pick(Planner &planner, const Picking &asked, const Source &value = Source(0.0)) {
  if (planner.args.failed())
    return;
  Picking picking = asked.op == PickOp::Take ? linesOfAll(asked) : asked;
  device::PickJob job;
  llvm::SmallVector<Planner::Placed, 8> windows;
  auto place = [&](const Rows &rows, device::Lines &lines) {
    if (rows.tensor)
      windows.push_back({&rows, &lines});
  };
  if (!planner.args.check(picking.places.size() <= device::mostIndices,
                          "got " + llvm::Twine(picking.places.size()) + " indices, which is more than devices take"))
    return;
  place(picking.table, job.table);
  place(picking.other, job.other);
  place(picking.mask, job.mask);
  for (const Place &one : picking.places) {
    device::PickIndex &index = job.indices[job.numIndices++];
    index.size = one.size;
    index.stride = one.stride;
    place(one.index, index.index);
  }
  Planner::Walk walk = planner.lay(picking.sizes, windows);
  job.op = picking.op;
  job.arithmetic = arithmeticOf(picking.table.tensor->dtype());
  job.lines = walk.rows;
  job.steps = walk.inner;
  job.value = {{}, value.kind, value.whole, value.real};
  job.wraps = picking.wraps;
  job.clamps = picking.clamps;
  if (job.lines.count != 0 && job.steps.count != 0)
    planner.add(job);
}

// --- One element a line: self[.., index[..], ..] ------------------------------------------------------------

struct Choice {
  Tensor self;
  int64_t dim = 0;
  Tensor index;
  /// none where a number is put
  std::optional<Tensor> other;
};

bool fits(const Choice &choice) {
  const Tensor &index = choice.index;
  auto covers = [&](const Tensor &tensor, bool allDims) {
    if (tensor.rank() != index.rank())
      return false;
    for (int64_t d = 0; d < index.rank(); ++d)
      if ((allDims || d != choice.dim) && index.size(d) > tensor.size(d))
        return false;
    return true;
  };
  return isIndex(index) && covers(choice.self, false) && (!choice.other || covers(*choice.other, true));
}

void pickAlong(Planner &planner, PickOp op, Choice choice, const Source &value = Source(0.0)) {
  choice.self = atLeastOneDim(choice.self);
  choice.index = atLeastOneDim(choice.index);
  if (choice.other)
    choice.other = atLeastOneDim(*choice.other);
  if (planner.args.failed() || choice.index.numElements() == 0 ||
      !planner.args.check(fits(choice), "got an index " + typeOf(choice.index) + " for " + typeOf(choice.self)))
    return;
  Rows table = linesAlong(choice.self, choice.dim);
  table.innerStrides = {0};
  Picking picking{op, {toIntList(choice.index.sizes()), {choice.index.size(choice.dim)}}, table};
  picking.sizes.rows.erase(picking.sizes.rows.begin() + choice.dim);
  if (choice.other)
    picking.other = linesAlong(*choice.other, choice.dim);
  picking.places.push_back(
      {linesAlong(choice.index, choice.dim), choice.self.size(choice.dim), choice.self.stride(choice.dim)});
  pick(planner, picking, value);
}

/// (self, dim, index)
void gather(Planner &planner) {
  const Tensor &self = planner.args.tensor(0);
  Tensor out = planner.result();
  if (planner.args.check(self.dtype() == out.dtype(), "got " + typeOf(self) + " for " + typeOf(out)))
    pickAlong(planner, PickOp::Take,
              {Planner::moved(self), planner.args.dim(1, self.rank()), planner.args.tensor(2), Planner::moved(out)});
}

/// Argument 3, a tensor or a number, to places of `out`.
void scatterInto(Planner &planner, PickOp op, const Tensor &out) {
  int64_t dim = planner.args.dim(1, out.rank());
  const Tensor &index = planner.args.tensor(2);
  const Value &value = planner.args.at(3);
  if (planner.args.failed() || !planner.checkApart(index, out))
    return;
  if (!value.is(Value::Kind::Tensor))
    return pickAlong(planner, op, {out, dim, index, std::nullopt}, Source::number(value));
  const Tensor &source = value.tensor();
  if (!planner.args.check(source.dtype() == out.dtype(), "got a source " + typeOf(source) + " for " + typeOf(out)) ||
      !planner.checkApart(source, out))
    return;
  bool moves = op == PickOp::Put;
  pickAlong(planner, op, {moves ? Planner::moved(out) : out, dim, index, moves ? Planner::moved(source) : source});
}
template <PickOp op>
void scatter(Planner &planner) {
  Tensor out = planner.result();
  planner.copy(out, planner.args.tensor(0));
  scatterInto(planner, op, out);
}
template <PickOp op>
void scatterInPlace(Planner &planner) {
  scatterInto(planner, op, planner.args.tensor(0));
}

// --- Indexing: self[indices] --------------------------------------------------------------------------------

/// A tensor at indices; their dimensions are in place in the result if they are adjacent in the table, else in front.
struct Indexed {
  /// without the dimensions that are indexed
  IntList keptSizes, keptStrides;
  IntList indexSizes;
  size_t place = 0;
  llvm::SmallVector<Place, 2> places;

  [[nodiscard]] IntList sizes() const {
    IntList all = keptSizes;
    all.insert(all.begin() + place, indexSizes.begin(), indexSizes.end());
    return all;
  }
  /// A tensor of these sizes: kept dimensions number lines.
  [[nodiscard]] Rows beside(const Tensor &tensor) const {
    IntList all = toIntList(tensor.strides());
    auto begin = all.begin() + place;
    Rows rows{tensor, all, IntList(begin, begin + indexSizes.size())};
    rows.rowStrides.erase(rows.rowStrides.begin() + place, rows.rowStrides.begin() + place + indexSizes.size());
    return rows;
  }
  [[nodiscard]] Picking picking(PickOp op, const Tensor &table) const {
    Picking picking{op, {keptSizes, indexSizes}, {table, keptStrides, IntList(indexSizes.size(), 0)}};
    picking.places = places;
    picking.wraps = true;
    return picking;
  }
};

std::optional<IntList> sizesOfIndices(Planner &planner, const OptionalTensors &indices) {
  IntList sizes;
  for (const std::optional<Tensor> &index : indices) {
    if (!index)
      continue;
    std::optional<IntList> joined = broadcastSizes(sizes, index->sizes());
    if (!planner.args.check(isIndex(*index) && index->dtype() != DType::U8 && joined.has_value(),
                            "got an index " + typeOf(*index) + ", expected whole numbers of sizes that broadcast"))
      return std::nullopt;
    sizes = *joined;
  }
  return sizes;
}

std::optional<Indexed> indexed(Planner &planner, const Tensor &table, const OptionalTensors &indices) {
  std::optional<IntList> indexSizes = sizesOfIndices(planner, indices);
  if (planner.args.failed() || !indexSizes ||
      !planner.args.check(static_cast<int64_t>(indices.size()) <= table.rank(),
                          "got " + llvm::Twine(indices.size()) + " indices for " + typeOf(table)))
    return std::nullopt;
  Indexed result;
  result.indexSizes = *indexSizes;
  IntList dims;
  for (int64_t dim = 0; dim < table.rank(); ++dim) {
    const std::optional<Tensor> index =
        static_cast<size_t>(dim) < indices.size() ? indices[static_cast<size_t>(dim)] : std::nullopt;
    if (!index) {
      result.keptSizes.push_back(table.size(dim));
      result.keptStrides.push_back(table.stride(dim));
      continue;
    }
    dims.push_back(dim);
    Tensor wide = planner.args.take(index->expand(result.indexSizes));
    if (planner.args.failed())
      return std::nullopt;
    result.places.push_back({{wide, {}, toIntList(wide.strides())}, table.size(dim), table.stride(dim)});
  }
  bool together = !dims.empty() && dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  result.place = together ? static_cast<size_t>(dims.front()) : 0;
  for (Place &place : result.places)
    place.index.rowStrides = IntList(result.keptSizes.size(), 0);
  return result;
}

void takeIndexed(Planner &planner, const Tensor &self, const OptionalTensors &indices) {
  Tensor out = planner.result();
  std::optional<Indexed> at = indexed(planner, self, indices);
  if (!at || !planner.args.check(IntListRef(at->sizes()) == out.sizes() && self.dtype() == out.dtype(),
                                 "got " + typeOf(self) + " for " + typeOf(out)))
    return;
  Picking picking = at->picking(PickOp::Take, Planner::moved(self));
  picking.other = at->beside(Planner::moved(out));
  pick(planner, picking);
}

void index(Planner &planner) { takeIndexed(planner, planner.args.tensor(0), planner.args.optionalTensors(1)); }

/// (self, dim, index)
void indexSelect(Planner &planner) {
  const Tensor &self = planner.args.tensor(0), &index = planner.args.tensor(2);
  int64_t dim = planner.args.dim(1, self.rank());
  if (planner.args.failed() ||
      !planner.args.check(self.rank() > 0 && index.rank() == 1, "got " + typeOf(self) + " and index " + typeOf(index)))
    return;
  OptionalTensors indices(static_cast<size_t>(dim));
  indices.emplace_back(index);
  takeIndexed(planner, self, indices);
}

/// The values that are put and their places; the mask is expanded as the values are.
struct Putting {
  OptionalTensors indices;
  Tensor values;
  std::optional<Tensor> mask;
  PickOp op = PickOp::Put;
};

void putInto(Planner &planner, const Tensor &out, const Putting &putting) {
  std::optional<Indexed> at = indexed(planner, out, putting.indices);
  if (!at || !planner.args.check(putting.values.dtype() == out.dtype(),
                                 "got values " + typeOf(putting.values) + " for " + typeOf(out)))
    return;
  auto stretched = [&](const Tensor &tensor) { return planner.args.take(tensor.expand(at->sizes())); };
  bool moves = putting.op == PickOp::Put;
  Picking picking = at->picking(putting.op, moves ? Planner::moved(out) : out);
  Tensor values = stretched(moves ? Planner::moved(putting.values) : putting.values);
  Tensor mask = putting.mask ? stretched(*putting.mask) : Tensor();
  if (planner.args.failed() || !planner.checkApart(values, out))
    return;
  for (const Place &place : picking.places)
    if (!planner.checkApart(*place.index.tensor, out))
      return;
  picking.other = at->beside(values);
  if (putting.mask)
    picking.mask = at->beside(mask);
  picking.clamps = putting.mask.has_value();
  pick(planner, picking);
}

/// (self, indices, values, accumulate)
Putting puttingOf(Planner &planner) {
  return {planner.args.optionalTensors(1), planner.args.tensor(2), std::nullopt,
          planner.args.boolean(3, false) ? PickOp::PutSum : PickOp::Put};
}
void indexPut(Planner &planner) {
  Tensor out = planner.result();
  planner.copy(out, planner.args.tensor(0));
  putInto(planner, out, puttingOf(planner));
}
void indexPutInPlace(Planner &planner) { putInto(planner, planner.args.tensor(0), puttingOf(planner)); }

/// (self, mask, indices, values)
void maskedPut(Planner &planner) {
  Tensor out = planner.result();
  planner.copy(out, planner.args.tensor(0));
  putInto(planner, out,
          {planner.args.optionalTensors(2), planner.args.tensor(3), planner.args.tensor(1), PickOp::PutSum});
}

} // namespace

std::vector<DeviceOperator> pickOperators() {
  return {
      {"aten._unsafe_masked_index_put_accumulate.default", maskedPut},
      {"aten.gather.default", gather, Accepted::Picked},
      {"aten.index.Tensor", index, Accepted::Indexed},
      {"aten.index_put.default", indexPut, Accepted::Indexed},
      {"aten.index_put_.default", indexPutInPlace, Accepted::Indexed},
      {"aten.index_select.default", indexSelect, Accepted::Picked},
      {"aten.scatter.src", scatter<PickOp::Put>, Accepted::Picked},
      {"aten.scatter.value", scatter<PickOp::Put>},
      {"aten.scatter_.src", scatterInPlace<PickOp::Put>, Accepted::Picked},
      {"aten.scatter_.value", scatterInPlace<PickOp::Put>},
      {"aten.scatter_add.default", scatter<PickOp::PutSum>},
      {"aten.scatter_add_.default", scatterInPlace<PickOp::PutSum>},
  };
}

} // namespace ccgraph::runtime::cuda
