#include "cost/tiles.h"

#include "ccgraph/ir/int_list.h"

namespace ccgraph {

namespace {

constexpr int64_t tileSide = 128;

/// Multiprocessors of the data-center processors with NVLink: V100, A100, H100 and B200 (NVIDIA's architecture white
/// papers).
int64_t multiprocessors(const Machine &machine) {
  if (machine.rules == CollectiveRules::Linear)
    return 0;
  switch (machine.generation) {
  case Generation::Volta:
    return 80;
  case Generation::Ampere:
    return 108;
  case Generation::Hopper:
    return 132;
  case Generation::Blackwell:
    return 148;
  }
  return 0;
}

int64_t dividedUp(int64_t value, int64_t by) { return (value + by - 1) / by; }

bool isStaticMatrix(const Type *type) {
  return type && type->isTensor() && type->sizes().size() == 2 && staticDims(type->sizes()).has_value();
}

} // namespace

std::optional<ProductSizes> productSizes(const Node &node) {
  if (!node.op() || node.numOperands() != 2 || node.op()->target.str() != "aten.mm.default" ||
      !isStaticMatrix(node.operand(0)->type()) || !isStaticMatrix(node.operand(1)->type()))
    return std::nullopt;
  llvm::ArrayRef<Dim> rows = node.operand(0)->type()->sizes(), columns = node.operand(1)->type()->sizes();
  return ProductSizes{rows[0].value(), rows[1].value(), columns[1].value()};
}

double filledTiles(const Machine &machine, int64_t rows, int64_t columns) {
  const int64_t at = multiprocessors(machine);
  const int64_t tiles = dividedUp(rows, tileSide) * dividedUp(columns, tileSide);
  return at == 0 || tiles == 0 ? 1 : static_cast<double>(tiles) / static_cast<double>(dividedUp(tiles, at) * at);
}

double shareOfProduct(const Machine &machine, const ProductSizes &part, const ProductSizes &whole) {
  if (whole.multiplications() == 0)
    return 0;
  return part.multiplications() / whole.multiplications() * filledTiles(machine, whole.rows, whole.columns) /
         filledTiles(machine, part.rows, part.columns);
}

} // namespace ccgraph
