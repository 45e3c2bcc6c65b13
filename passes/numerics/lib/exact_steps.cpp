#include "exact_steps.h"

#include "call_text.h"

namespace ccgraph::numerics {
namespace {

/// How many binary digits a float dtype holds, and the exponents of its smallest number above 0 and of its largest.
struct Format {
  DType dtype;
  int digits;
  int smallest;
  int largest;
};
constexpr Format formats[] = {{DType::F8E4M3FN, 4, -9, 8}, {DType::F8E5M2, 3, -16, 15}, {DType::F16, 11, -24, 15},
                              {DType::BF16, 8, -133, 127}, {DType::F32, 24, -149, 127}, {DType::F64, 53, -1074, 1023}};

const Format *formatOf(DType dtype) {
  const Format *format = llvm::find_if(formats, [&](const Format &candidate) { return candidate.dtype == dtype; });
  return format == std::end(formats) ? nullptr : format;
}

/// Returns the operand of a cast, if the run's term is one.
std::optional<Run> castOperand(const TermTable &table, const Run &run) {
  const Term &term = table.at(run.term);
  if (table.operationOf(run.term).rule != Rule::Cast)
    return std::nullopt;
  const TermOperand &operand = term.operands.front();
  return Run{operand.id, operand.repeats ? operand.shift : run.start + operand.shift, run.length,
             run.repeats || operand.repeats};
}

RunList castRun(TermTable &table, Run run, DType from, DType to) {
  if (std::optional<Run> operand = castOperand(table, run); operand) {
    const DType first = table.operationOf(run.term).from;
    if (isExactCast(first, from) && first == to)
      return *operand;
    if (isExactCast(first, from) && isExactCast(from, to))
      run = *operand, from = first;
  }
  Operation operation;
  operation.text = "cast " + shortName(from).str() + " " + shortName(to).str();
  operation.rule = Rule::Cast;
  operation.dtype = to;
  operation.from = from;
  const RunList operand(run);
  return *elementwise(table, {table.operation(std::move(operation)), operand, false, 1});
}

} // namespace

bool isExactCast(DType from, DType to) {
  if (from == to)
    return true;
  const Format *a = formatOf(from), *b = formatOf(to);
  return a && b && a->digits <= b->digits && a->smallest >= b->smallest && a->largest <= b->largest;
}

RunList castElements(TermTable &table, const RunList &elements, DType from, DType to) {
  if (from == to)
    return elements;
  RunList result;
  for (const Run &run : elements.runs())
    result.append(castRun(table, run, from, to));
  return result;
}

RunList constantElements(TermTable &table, double number, DType dtype, int64_t count) {
  Operation operation;
  operation.text = "number " + exactText(number) + " " + shortName(dtype).str();
  operation.rule = Rule::Given;
  operation.dtype = dtype;
  operation.number = number;
  return Run{table.term({Term::Kind::Input, table.operation(std::move(operation)), {}}), 0, count, true};
}

RunList multiples(TermTable &table, const RunList &elements, DType dtype, double n) {
  Operation product;
  product.text = elementwiseText("aten.mul", {shortName(dtype).str(), "number"}, dtype);
  product.rule = Rule::Multiply;
  product.dtype = dtype;
  const RunList operands[] = {elements, constantElements(table, n, DType::F64, elements.size())};
  return *elementwise(table, {table.operation(std::move(product)), operands, false, elements.runs().size()});
}

RunList elementsOf(TermTable &table, const HeldTensor &tensor) {
  if (std::optional<RunList> elements = readElements(tensor))
    return *elements;
  Operation copy;
  copy.text = "copy of " + layoutText(tensor.dtype, tensor.sizes, tensor.strides);
  copy.dtype = tensor.dtype;
  return callResult(table, table.operation(std::move(copy)), spanOf(tensor), tensor.count());
}

std::optional<RunList> joined(TermTable &table, llvm::ArrayRef<HeldTensor> parts, size_t dim) {
  const int64_t outer = productOf(IntListRef(parts.front().sizes).take_front(dim));
  if (outer * static_cast<int64_t>(parts.size()) > static_cast<int64_t>(mostRuns))
    return std::nullopt;
  if (outer == 0)
    return RunList();
  std::vector<RunList> elements;
  for (const HeldTensor &part : parts)
    elements.push_back(elementsOf(table, part));
  RunList result;
  for (int64_t o = 0; o != outer; ++o)
    for (const RunList &part : elements) {
      const int64_t chunk = part.size() / outer;
      part.copyTo(result, o * chunk, chunk);
    }
  return result;
}

} // namespace ccgraph::numerics
