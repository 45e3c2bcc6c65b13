#include "lower/view_windows.h"

#include "ccgraph/ir/internal/view_geometry.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

/// The same place counted in elements of another width.
std::optional<Dim> rescaled(Context &context, const Dim &offset, int64_t from, int64_t to) {
  return from >= to ? std::optional(multiply(context, offset, Dim(from / to)))
                    : divideExactly(context, offset, to / from);
}

} // namespace

std::optional<PlanWindow> viewWindow(const Node &view, unsigned element, const PlanWindow &from, const Type *type) {
  if (!view.op() || !view.op()->view || !type || !type->isTensor() || !type->stridesKnown() ||
      !from.type->stridesKnown())
    return std::nullopt;
  std::optional<ViewOffset> distance = viewOffset(view, element, *from.type);
  if (distance && distance->fromStorage)
    return PlanWindow{from.buffer, type, distance->elements};
  // Because no element lies anywhere, a place past the end of the storage is no place of its.
  if (llvm::is_contained(type->sizes(), Dim(0)))
    distance = ViewOffset{0};
  if (!distance)
    return std::nullopt;
  Context &context = view.graph()->context();
  std::optional<Dim> offset = rescaled(context, add(context, from.offset, distance->elements),
                                       sizeInBytes(from.type->dtype()), sizeInBytes(type->dtype()));
  return offset ? std::optional(PlanWindow{from.buffer, type, *offset}) : std::nullopt;
}

} // namespace ccgraph::lower
