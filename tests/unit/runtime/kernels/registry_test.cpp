// Tests the registry: order, forms of names, agreement with the schemas of PyTorch's operators, and messages about
// arguments.
#include "unit/runtime/kernels/kernel_testing.h"

#include "ccgraph/ir/op_def.h"

namespace ccgraph::runtime::testing {
namespace {

TEST(Registry, IsSortedWithoutDoubles) {
  llvm::ArrayRef<Kernel> all = allKernels();
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_LT(all[i - 1].target, all[i].target);
}

TEST(Registry, ParametersStandAsInTheSchema) {
  Context context;
  size_t compared = 0;
  for (const Kernel &kernel : allKernels()) {
    const OpDef *op = context.ops().lookup(kernel.target);
    // A name without overload may mean several schemas, so only full names are compared.
    if (op->opaque || op->params.empty() || kernel.target.count('.') < 2)
      continue;
    llvm::SmallVector<llvm::StringRef, 8> names;
    kernel.parameters.split(names, ',');
    for (size_t i = 0; i < names.size() && i < op->params.size(); ++i)
      EXPECT_EQ(names[i].str(), op->params[i].name) << kernel.target.str();
    EXPECT_LE(names.size(), op->params.size()) << kernel.target.str();
    ++compared;
  }
  EXPECT_GT(compared, 300U);
}

TEST(Registry, KnowsEverySpelling) {
  EXPECT_EQ(findKernel("<built-in function getitem>"), findKernel("operator.getitem"));
  EXPECT_EQ(findKernel("_operator.getitem"), findKernel("operator.getitem"));
  EXPECT_EQ(findKernel("<function sym_sum at 0x7f12>"), findKernel("torch.sym_sum"));
  EXPECT_EQ(findKernel("torch.ops.aten.mm.default"), findKernel("aten.mm.default"));
  EXPECT_EQ(findKernel("aten.cat"), findKernel("aten.cat.default"));
  EXPECT_EQ(findKernel("aten.add"), findKernel("aten.add.Tensor"));
  EXPECT_EQ(findKernel("aten.no_such_operator.default"), nullptr);
  EXPECT_EQ(findKernel("_c10d_functional.all_reduce.default"), nullptr);
}

TEST(Arguments, MayBeGivenByKeyword) {
  EXPECT_EQ(valuesOf("aten.sum.dim_IntList", {},
                     {{"keepdim", Value::boolean(true)}, {"self", counting({2, 2})}, {"dim", integers({1})}}),
            (Doubles{1, 5}));
}

TEST(Arguments, OneIntegerStandsForAListOfOne) {
  EXPECT_EQ(valuesOf("aten.sum.dim_IntList", {counting({2, 2}), number(-1)}), (Doubles{1, 5}));
}

TEST(Arguments, FailuresNameOperatorArgumentGotAndExpected) {
  EXPECT_EQ(failure("aten.mm.default", {counting({2, 2}), number(3)}),
            "aten.mm.default: argument 'mat2': got the integer 3, expected a tensor");
  EXPECT_EQ(failure("aten.mm.default", {counting({2, 2})}),
            "aten.mm.default: argument 'mat2': got None, expected a tensor");
  EXPECT_EQ(failure("aten.neg.default", {counting({1})}, {{"dim", number(0)}}),
            "aten.neg.default: got an argument 'dim', expected one of: self");
  EXPECT_EQ(failure("aten.neg.default", {counting({1}), number(0)}),
            "aten.neg.default: got 2 positional arguments, expected at most 1 (self)");
  EXPECT_EQ(failure("aten.unsqueeze.default", {counting({2}), number(5)}),
            "aten.unsqueeze.default: got dimension 5, expected one between -2 and 1");
  EXPECT_EQ(failure("aten.view.default", {counting({2}), Value::string("x")}),
            "aten.view.default: argument 'size': got the text 'x', expected a list of integers");
}

/// Returns values for a parameter of this name with a single number, which has no dimension although a call may name 0
/// or -1.
std::vector<Value> choicesFor(llvm::StringRef parameter) {
  if (parameter.startswith("dims") || parameter.startswith("shift"))
    return {integers({-1}), integers({0})};
  if (parameter.startswith("dim") || parameter == "axis")
    return {number(-1), number(0), integers({-1})};
  if (parameter == "index" || parameter == "indices")
    return {i64({}, {0}), i64({1}, {0})};
  if (parameter == "dtype" || parameter == "keepdim" || parameter == "generator")
    return {Value()};
  return {f32({}, {2}), number(1)};
}

/// Calls the kernel with every choice for its first arguments, and None for the rest.
size_t callWithNumbers(const Kernel &kernel, llvm::ArrayRef<llvm::StringRef> names, const Value::List &given) {
  constexpr size_t most = 4;
  if (given.size() == std::min(names.size(), most)) {
    llvm::Expected<Value> result = runKernel(kernel, KernelCall{given, {}});
    llvm::consumeError(result.takeError());
    return 1;
  }
  size_t calls = 0;
  for (const Value &choice : choicesFor(names[given.size()])) {
    Value::List more = given;
    more.push_back(choice);
    calls += callWithNumbers(kernel, names, more);
  }
  return calls;
}

// Each call must return a value or an error: it must not read a dimension that does not exist, which assertions and
// sanitizers detect.
TEST(Arguments, ADimensionOfASingleNumberIsNoPlaceInItsSizes) {
  size_t calls = 0;
  for (const Kernel &kernel : allKernels()) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    kernel.parameters.split(names, ',');
    if (llvm::any_of(names, [](llvm::StringRef name) { return name.startswith("dim") || name == "axis"; }))
      calls += callWithNumbers(kernel, names, {});
  }
  EXPECT_GT(calls, 1000U);
}

TEST(Arguments, ASingleNumberHasNoDimensionToFlip) {
  EXPECT_EQ(valuesOf("aten.flip.default", {f32({}, {3}), integers({-1})}), (Doubles{3}));
  EXPECT_EQ(failure("aten.flip.default", {counting({2}), integers({0, -1})}),
            "aten.flip.default: got dimensions [0, 0], expected each once");
}

} // namespace
} // namespace ccgraph::runtime::testing
