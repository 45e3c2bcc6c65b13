// The registry: order, spellings, agreement with the schemas of PyTorch's operators, and messages about arguments.
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
    // Because a name without overload stands for several schemas, only full names are compared.
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

} // namespace
} // namespace ccgraph::runtime::testing
