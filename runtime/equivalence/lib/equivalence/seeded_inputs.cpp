#include "ccgraph/runtime/seeded_inputs.h"

#include "equivalence/input_demands.h"
#include "interpreter/scope.h"
#include "tensor/elements.h"
#include "tensor/numbers.h"

#include "ccgraph/ir/value_names.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace ccgraph::runtime {
namespace {

constexpr int64_t firstSymbolValue = 4;

/// FNV-1a, because std::hash differs from library to library.
uint64_t hashOf(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text)
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

/// The inputs of a graph or plan, in order.
struct Taken {
  /// "in.x", "attr.w"
  std::string name;
  const Type *type = nullptr;
  /// the key of its demand: the id of its node, or of its buffer
  size_t place = 0;
};

std::vector<Taken> takenBy(const Graph &graph) {
  std::vector<Taken> taken;
  for (const Node *node : graph) {
    bool placeholder = node->opcode() == Opcode::Placeholder;
    if (!placeholder && node->opcode() != Opcode::GetAttr)
      continue;
    std::string name = placeholder ? inputName(node->name().str()) : attributeName(node->target().str());
    taken.push_back({std::move(name), node->type(), node->id()});
  }
  return taken;
}

std::vector<Taken> takenBy(const Plan &plan) {
  std::vector<Taken> taken;
  for (const PlanInput &input : plan.inputs) {
    bool tensor = input.value.kind == PlanValue::Kind::Tensor;
    taken.push_back({input.name, tensor ? input.value.window.type : input.value.numberType,
                     tensor ? input.value.window.buffer : size_t{0}});
  }
  return taken;
}

/// Uses hints first; placeholders supply the other symbols.
Symbols chooseSymbols(Context &context, llvm::ArrayRef<std::pair<Identifier, int64_t>> hints,
                      llvm::ArrayRef<Taken> taken) {
  Symbols symbols;
  for (const auto &[name, value] : hints)
    symbols[name.str()] = value;
  int64_t next = firstSymbolValue;
  auto choose = [&](const Dim &dim) {
    if (!dimValue(dim, symbols))
      (void)conform(context.symbolicScalar(dim.expr()), Value::integer(next++), symbols);
  };
  for (const Taken &input : taken) {
    if (!placeholderOfInput(input.name) || input.type == nullptr)
      continue;
    if (input.type->kind() == Type::Kind::Symbolic)
      choose(Dim(input.type->symbol()));
    if (input.type->isTensor())
      for (const Dim &dim : input.type->sizes())
        choose(dim);
  }
  return symbols;
}

// Numbers are small by design. Sums of floats near 1 stay finite and keep their digits. Integers in -8 to 7 do not
// overflow a u8 or i8 when a few of them are added.
double choose(Numbers &numbers, DType dtype, const InputDemand &demand) {
  if (dtype == DType::Bool)
    return static_cast<double>(numbers.next() & 1);
  if (isFloat(dtype) || isComplex(dtype)) {
    double value = numbers.nearNormal();
    if (demand.positive && demand.belowOne)
      return 1 / (std::fabs(value) + 1.0625);
    if (demand.positive)
      return std::fabs(value) + 0.0625;
    return demand.negative || demand.belowOne ? -std::fabs(value) - 0.0625 : value;
  }
  if (demand.below)
    return *demand.below > 0 ? static_cast<double>(numbers.next() % static_cast<uint64_t>(*demand.below)) : 0.0;
  if (demand.feedsIndex)
    return static_cast<double>(numbers.next() & 1);
  double value = static_cast<double>(numbers.next() % 16) - 8.0;
  return demand.positive || dtype == DType::U8 ? std::fabs(value) + 1.0 : value;
}

HostTensor fill(DType dtype, std::vector<int64_t> sizes, const InputDemand &demand, uint64_t seed) {
  HostTensor host;
  host.dtype = dtype;
  host.sizes = std::move(sizes);
  size_t size = sizeInBytes(dtype);
  host.data.resize(static_cast<size_t>(host.numElements()) * size);
  Numbers numbers(seed);
  for (size_t at = 0; at < host.data.size(); at += size) {
    double value = choose(numbers, dtype, demand);
    if (isComplex(dtype))
      writeElement<Complex>(dtype, host.data.data() + at, {value, numbers.nearNormal()});
    else if (convertible(dtype))
      writeElement<double>(dtype, host.data.data() + at, value);
  }
  return host;
}

/// Empty where 64 bits do not hold it, or a size is negative.
std::optional<int64_t> bytesOf(DType dtype, llvm::ArrayRef<int64_t> sizes) {
  int64_t bytes = sizeInBytes(dtype);
  for (int64_t size : sizes)
    if (size < 0 || llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

HostTensor scalar(int64_t value) {
  HostTensor host;
  host.dtype = DType::I64;
  host.data.resize(sizeof value);
  writeElement<int64_t>(DType::I64, host.data.data(), value);
  return host;
}

/// The rank and the seed of the inputs.
struct Seeding {
  int64_t rank = 0;
  uint64_t seed = 0;
  int64_t mostBytes = 0;
};

// The random stream of an input begins at its name, the seed and the rank, and not where the stream of the previous
// input ended. So a graph with one more input gets the same values for the others.
TensorMap makeInputs(llvm::ArrayRef<Taken> taken, const Symbols &symbols, llvm::ArrayRef<InputDemand> demands,
                     Seeding seeding) {
  auto number = [&](const Dim &dim) { return dimValue(dim, symbols).value_or(firstSymbolValue); };
  TensorMap inputs;
  for (const auto &[name, type, place] : taken) {
    if (type && type->kind() == Type::Kind::Symbolic)
      inputs[name] = scalar(number(Dim(type->symbol())));
    if (!type || !type->isTensor())
      continue;
    std::vector<int64_t> sizes;
    for (const Dim &dim : type->sizes())
      sizes.push_back(number(dim));
    std::optional<int64_t> bytes = bytesOf(type->dtype(), sizes);
    if (!bytes || *bytes > seeding.mostBytes)
      continue;
    seeding.mostBytes -= *bytes;
    uint64_t key = hashOf(name) ^ Numbers(seeding.seed * 0x9e3779b1 + static_cast<uint64_t>(seeding.rank)).next();
    inputs[name] = fill(type->dtype(), std::move(sizes), demands[place], key);
  }
  return inputs;
}

} // namespace

TensorMap seededInputs(const Graph &graph, int64_t rank, uint64_t seed, int64_t mostBytes) {
  std::vector<Taken> taken = takenBy(graph);
  Symbols symbols = chooseSymbols(graph.context(), graph.symbolHints, taken);
  auto number = [&](const Dim &dim) { return dimValue(dim, symbols); };
  return makeInputs(taken, symbols, inputDemands(graph, number), {rank, seed, mostBytes});
}

TensorMap seededInputs(const Plan &plan, int64_t rank, uint64_t seed, int64_t mostBytes) {
  std::vector<Taken> taken = takenBy(plan);
  Symbols symbols = chooseSymbols(plan.context(), plan.layout.symbols, taken);
  auto number = [&](const Dim &dim) { return dimValue(dim, symbols); };
  return makeInputs(taken, symbols, inputDemands(plan, number), {rank, seed, mostBytes});
}

} // namespace ccgraph::runtime
