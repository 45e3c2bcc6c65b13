#include "ccgraph/ir/plan.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace ccgraph {

llvm::StringRef homeName(Home home) {
  switch (home) {
  case Home::Input:
    return "input";
  case Home::Attribute:
    return "attribute";
  case Home::Compute:
    return "compute";
  case Home::Communication:
    return "communication";
  case Home::Growing:
    return "growing";
  case Home::Host:
    return "host";
  }
  return "";
}

bool operator==(const PlanValue &a, const PlanValue &b) {
  return a.kind == b.kind && a.window == b.window && a.slot == b.slot && a.numberType == b.numberType &&
         a.elements == b.elements && sameArgument(a.literal, b.literal) && a.object == b.object;
}

Plan::Plan(Context &context) : context_(&context) {
  streams.push_back({PlanStream::Kind::Host, "host", {}});
  streams.push_back({PlanStream::Kind::Compute, "compute", {}});
}

llvm::ArrayRef<Argument> Plan::keep(llvm::ArrayRef<Argument> arguments) {
  auto *memory = arena_.Allocate<Argument>(arguments.size());
  std::uninitialized_copy(arguments.begin(), arguments.end(), memory);
  return {memory, arguments.size()};
}

llvm::ArrayRef<NamedArgument> Plan::keep(llvm::ArrayRef<NamedArgument> arguments) {
  auto *memory = arena_.Allocate<NamedArgument>(arguments.size());
  std::uninitialized_copy(arguments.begin(), arguments.end(), memory);
  return {memory, arguments.size()};
}

Argument Plan::sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements) {
  return Argument::sequence(kind, keep(elements));
}

Argument Plan::copy(const Argument &tree, llvm::function_ref<uint32_t(uint32_t)> map) {
  if (tree.is(Argument::Kind::Operand))
    return Argument::operand(map(tree.operandIndex()));
  if (tree.isSequence()) {
    llvm::SmallVector<Argument, 8> elements;
    for (const Argument &element : tree.elements())
      elements.push_back(copy(element, map));
    return sequence(tree.kind(), elements);
  }
  if (!tree.is(Argument::Kind::Dict))
    return tree;
  llvm::SmallVector<NamedArgument, 8> entries;
  for (const NamedArgument &entry : tree.entries())
    entries.push_back({entry.name, copy(entry.value, map)});
  return Argument::dict(keep(entries));
}

void forEachWindow(const PlanValue &value, llvm::function_ref<void(const PlanWindow &)> visit) {
  if (value.kind == PlanValue::Kind::Tensor)
    visit(value.window);
  for (const PlanValue &element : value.elements)
    forEachWindow(element, visit);
}

void forEachSlot(const PlanValue &value, llvm::function_ref<void(SlotId)> visit) {
  if (value.kind == PlanValue::Kind::Number)
    visit(value.slot);
  for (const PlanValue &element : value.elements)
    forEachSlot(element, visit);
}

namespace {

using Visit = llvm::function_ref<void(const PlanAccess &)>;

void visitValue(const PlanValue &value, bool reads, bool writes, Visit visit) {
  if (!reads && !writes)
    return;
  forEachWindow(value, [&](const PlanWindow &window) { visit({&window, 0, reads, writes}); });
  forEachSlot(value, [&](SlotId slot) { visit({nullptr, slot, reads, writes}); });
}

void visitKernel(const KernelStep &step, Visit visit) {
  for (const PlanOperand &operand : step.operands) {
    visitValue(operand.value, operand.reads, operand.writes, visit);
    // The number itself is read even if no element is.
    if (!operand.reads && !operand.writes)
      forEachSlot(operand.value, [&](SlotId slot) { visit({nullptr, slot, true, false}); });
  }
  visitValue(step.result, /*reads=*/false, /*writes=*/true, visit);
}

void visitCollective(const CollectiveStep &step, Visit visit) {
  for (const PlanCollective &call : step.calls)
    for (const PlanRow &row : call.rows) {
      if (row.send)
        visit({&*row.send, 0, true, false});
      if (row.receive)
        visit({&*row.receive, 0, false, true});
    }
}

} // namespace

void forEachAccess(const PlanStep &step, Visit visit) {
  if (const KernelStep *kernel = step.kernel())
    visitKernel(*kernel, visit);
  if (const CollectiveStep *collective = step.collective())
    visitCollective(*collective, visit);
  if (const CopyStep *copy = step.copy()) {
    visit({&copy->from, 0, true, false});
    visit({&copy->to, 0, false, true});
  }
}

static std::optional<int64_t> natural(const Dim &dim, SymbolLookup lookup) {
  std::optional<int64_t> value = dim.evaluate(lookup);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<ByteRange> bytesOf(const PlanWindow &window, SymbolLookup lookup) {
  if (!window.type || !window.type->isTensor() || !window.type->stridesKnown())
    return std::nullopt;
  IntList sizes, strides;
  for (auto [size, stride] : llvm::zip(window.type->sizes(), window.type->strides())) {
    std::optional<int64_t> step = natural(stride, lookup), count = natural(size, lookup);
    // An expanded dimension (stride 0) does not extend the range, however large it is.
    if (!step || (!count && *step != 0))
      return std::nullopt;
    strides.push_back(*step);
    sizes.push_back(count.value_or(1));
  }
  std::optional<int64_t> offset = natural(window.offset, lookup);
  if (!offset)
    return std::nullopt;
  int64_t width = sizeInBytes(window.type->dtype());
  int64_t end = saturatingMultiply(saturatingAdd(*offset, extentOf(sizes, strides)), width);
  if (end == std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return ByteRange{*offset * width, end};
}

std::optional<int64_t> symbolOf(const PlanLayout &layout, llvm::StringRef symbol) {
  auto found = llvm::find_if(layout.symbols, [&](const auto &entry) { return entry.first.str() == symbol; });
  return found == layout.symbols.end() ? std::nullopt : std::optional(found->second);
}

} // namespace ccgraph
