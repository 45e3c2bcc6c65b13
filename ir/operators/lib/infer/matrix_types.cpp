#include "infer/families.h"
#include "infer/symbolic_layout.h"

#include "ccgraph/ir/internal/promotion.h"
#include "ccgraph/ir/strides.h"

namespace ccgraph::infer {
namespace {

/// Matrices [batch..., rows, columns] laid out by columns, as LAPACK lays them out.
TypePtr byColumns(const Call &call, const Type &like, DimListRef sizes) {
  TypePtr plain = call.contiguousLike(like, sizes);
  DimList strides(plain->strides().begin(), plain->strides().end());
  const Dim &rows = sizes[sizes.size() - 2];
  strides[sizes.size() - 2] = Dim(1);
  strides.back() = rows == Dim(0) ? Dim(1) : rows;
  return call.context.tensor(like.dtype(), {sizes, strides, true}, like.device());
}

/// The operand, if it has matrices.
TypePtr matricesOf(const Call &call) {
  TypePtr a = call.tensor(0);
  return a && a->sizes().size() >= 2 ? a : nullptr;
}

TypePtr numbers(const Call &call, const Type &a, DType dtype, size_t dropped) {
  return call.contiguous(dtype, a.sizes().drop_back(dropped), a.device());
}

TypePtr empty(const Call &call, const Type &like) { return call.contiguousLike(like, {Dim(0)}); }

std::optional<Dim> smallerOf(const Dim &a, const Dim &b) {
  if (a == b)
    return a;
  return a.isStatic() && b.isStatic() ? std::optional(Dim(std::min(a.value(), b.value()))) : std::nullopt;
}

/// The sizes of a batch with matrices of other sizes.
DimList withMatrix(const Type &a, const Dim &rows, const Dim &columns) {
  DimList sizes(a.sizes().begin(), a.sizes().end() - 2);
  sizes.append({rows, columns});
  return sizes;
}

} // namespace

// The factor, and the order of the first minor that is not positive.
TypePtr choleskyType(Call &call) {
  TypePtr a = matricesOf(call);
  return a ? call.context.list({byColumns(call, *a, a->sizes()), numbers(call, *a, DType::I32, 2)}) : nullptr;
}

// Eigenvalues, and eigenvectors if they are requested.
TypePtr eigenType(Call &call) {
  TypePtr a = matricesOf(call);
  if (!a)
    return nullptr;
  const Argument *wanted = call.given("compute_v");
  bool vectors = !wanted || (wanted->is(Argument::Kind::Bool) && wanted->boolean());
  return call.context.list(
      {numbers(call, *a, realTypeOf(a->dtype()), 1), vectors ? byColumns(call, *a, a->sizes()) : empty(call, *a)});
}

// Both factors in one matrix, the exchanges of rows, and where the diagonal is zero.
TypePtr luType(Call &call) {
  TypePtr a = matricesOf(call);
  auto small = a ? smallerOf(a->sizes()[a->sizes().size() - 2], a->sizes().back()) : std::nullopt;
  if (!small)
    return nullptr;
  DimList pivots(a->sizes().begin(), a->sizes().end() - 2);
  pivots.push_back(*small);
  return call.context.list({byColumns(call, *a, a->sizes()), call.contiguous(DType::I32, pivots, a->device()),
                            numbers(call, *a, DType::I32, 2)});
}

TypePtr qrType(Call &call) {
  TypePtr a = matricesOf(call);
  const Argument *mode = call.given("mode");
  if (!a || (mode && !mode->is(Argument::Kind::String)))
    return nullptr;
  llvm::StringRef text = mode ? mode->text() : llvm::StringRef("reduced");
  Dim rows = a->sizes()[a->sizes().size() - 2], columns = a->sizes().back();
  auto small = smallerOf(rows, columns);
  if (!small)
    return nullptr;
  Dim inner = text == "complete" ? rows : *small;
  TypePtr q = text == "r" ? empty(call, *a) : byColumns(call, *a, withMatrix(*a, rows, inner));
  return call.context.list({q, byColumns(call, *a, withMatrix(*a, inner, columns))});
}

namespace {

struct Transform {
  IntList sizes, strides, dims;
};
std::optional<Transform> transformOf(const Call &call) {
  TypePtr self = call.tensor(0);
  auto dims = intsAt(call.node, call.index("dim"));
  auto sizes = self ? staticDims(self->sizes()) : std::nullopt;
  auto strides = self && self->stridesKnown() ? staticDims(self->strides()) : std::nullopt;
  if (!sizes || !strides || !dims)
    return std::nullopt;
  Transform t{*sizes, *strides, {}};
  for (int64_t dim : *dims) {
    auto wrapped = wrapDim(dim, sizes->size());
    if (!wrapped)
      return std::nullopt;
    t.dims.push_back(*wrapped);
  }
  return t;
}

TypePtr packed(const Call &call, DType dtype, const Transform &t, bool keepsLast) {
  IntList strides = transformStrides(t.sizes, t.strides, t.dims, keepsLast);
  return call.context.tensor(dtype,
                             {DimList(t.sizes.begin(), t.sizes.end()), DimList(strides.begin(), strides.end()), true},
                             call.tensor(0)->device());
}

DType complexOf(DType dtype) { return dtype == DType::F64 ? DType::C128 : DType::C64; }

} // namespace

TypePtr complexTransform(Call &call) {
  auto t = transformOf(call);
  if (!t)
    return nullptr;
  return t->dims.empty() ? preservedSelf(call) : packed(call, call.tensor(0)->dtype(), *t, false);
}

TypePtr realToComplexTransform(Call &call) {
  auto t = transformOf(call);
  if (!t || t->dims.empty())
    return nullptr;
  int64_t &last = t->sizes[t->dims.back()];
  if (call.flag("onesided"))
    last = last / 2 + 1;
  return packed(call, complexOf(call.tensor(0)->dtype()), *t, true);
}

// The other dimensions are transformed first, into a tensor with strides of its own.
TypePtr complexToRealTransform(Call &call) {
  auto t = transformOf(call);
  auto size = call.integer("last_dim_size");
  if (!t || t->dims.empty() || !size)
    return nullptr;
  int64_t last = t->dims.pop_back_val();
  if (!t->dims.empty())
    t->strides = transformStrides(t->sizes, t->strides, t->dims, false);
  t->sizes[last] = *size;
  t->dims = {last};
  return packed(call, realTypeOf(call.tensor(0)->dtype()), *t, false);
}

// [B, P, M] and [B, R, M] -> [B, P, R]
TypePtr distancesType(Call &call) {
  TypePtr a = call.tensor(0);
  TypePtr b = call.tensor(1);
  if (!a || !b || a->sizes().size() != b->sizes().size() || a->sizes().size() < 2 ||
      a->sizes().drop_back(2) != b->sizes().drop_back(2))
    return nullptr;
  DimList sizes(a->sizes().begin(), a->sizes().end() - 1);
  sizes.push_back(b->sizes()[b->sizes().size() - 2]);
  return call.contiguousLike(*a, sizes);
}

TypePtr rowDistancesType(Call &call) {
  TypePtr self = call.tensor(0);
  if (!self || self->sizes().size() != 2 || !self->sizes()[0].isStatic())
    return nullptr;
  int64_t rows = self->sizes()[0].value();
  return call.contiguousLike(*self, {Dim(rows * (rows - 1) / 2)});
}

// mv: rows of the matrix; dot: a number.
TypePtr vectorProduct(Call &call) {
  TypePtr a = call.tensor(0);
  return a && !a->sizes().empty() ? call.contiguousLike(*a, a->sizes().drop_back()) : nullptr;
}

} // namespace ccgraph::infer
