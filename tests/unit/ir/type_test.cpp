#include "ccgraph/ir/type.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

const Type *parsed(Context &context, llvm::StringRef text) {
  auto type = parseType(context, text);
  if (!type) {
    ADD_FAILURE() << llvm::toString(type.takeError());
    return nullptr;
  }
  return *type;
}

std::string errorOf(llvm::StringRef text) {
  Context context;
  auto type = parseType(context, text);
  return type ? "no error" : llvm::toString(type.takeError());
}

} // namespace

TEST(TypeTest, EverySpellingReadsBack) {
  Context context;
  for (const char *text :
       {"bf16[8, 4096][4096, 1]cuda:0", "f32[][]cpu", "f32[u0 + u1, 4][4, 1]cpu", "f32[2, 3]", "i64[7][1]cuda",
        "Sym(u0 <= 7)", "Sym(Max(1, u0))", "f32[Max(1, u0 + u1), 4][4, 1]cpu", "None"})
    EXPECT_EQ(parsed(context, text)->str(), text);
}

TEST(TypeTest, EqualTypesAreOnePointer) {
  Context context;
  EXPECT_EQ(parsed(context, "f32[2, 3][3, 1]cpu"), parsed(context, "f32[2,3][3,1]cpu"));
  EXPECT_NE(parsed(context, "f32[2, 3][3, 1]cpu"), parsed(context, "f32[2, 3]cpu"))
      << "unknown strides are another type";
  EXPECT_NE(parsed(context, "f32[2][1]cuda"), parsed(context, "f32[2][1]cuda:0"));
  const Type *f32 = parsed(context, "f32[2][1]cpu");
  EXPECT_EQ(context.list({f32, nullptr}), context.list({f32, nullptr}));
  EXPECT_NE(context.list({f32}), f32);
}

TEST(TypeTest, BytesAndElements) {
  Context context;
  EXPECT_EQ(parsed(context, "bf16[8, 4096][4096, 1]cuda:0")->numBytes(), 65536);
  EXPECT_EQ(parsed(context, "f32[][]cpu")->numBytes(), 4);
  EXPECT_EQ(parsed(context, "f32[0, 4][4, 1]cpu")->numElements(), 0);
  EXPECT_EQ(parsed(context, "f32[u0, 4][4, 1]cpu")->numBytes(), std::nullopt);
  EXPECT_EQ(parsed(context, "f32[4000000000, 4000000000][4000000000, 1]cpu")->numElements(), std::nullopt)
      << "overflow is no number";
  EXPECT_EQ(parsed(context, "Sym(u0)")->numBytes(), std::nullopt);
}

TEST(TypeTest, Contiguity) {
  Context context;
  EXPECT_TRUE(parsed(context, "f32[2, 3][3, 1]cpu")->isContiguous());
  EXPECT_TRUE(parsed(context, "f32[1, 3][77, 1]cpu")->isContiguous()) << "a size of 1 puts no demand on its stride";
  EXPECT_TRUE(parsed(context, "f32[u0, 3][3, 1]cpu")->isContiguous());
  EXPECT_TRUE(parsed(context, "f32[][]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[2, 3][1, 2]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[2, 3][4, 1]cpu")->isContiguous());
  EXPECT_TRUE(parsed(context, "f32[4, s0, 3][3*s0, 3, 1]cpu")->isContiguous());
  EXPECT_TRUE(parsed(context, "f32[s1, s0, 1, s0][s0**2, s0, 7, 1]cpu")->isContiguous());
  EXPECT_TRUE(parsed(context, "f32[2, u0 + 1, 4][4*Max(1, u0 + 1), 4, 1]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[4, s0, 3][3*s1, 3, 1]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[s0, 3, 2][6, 1, 3]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[4, s0, 3][1, 12, 4]cpu")->isContiguous());
  EXPECT_FALSE(parsed(context, "f32[2, 3]cpu")->isContiguous()) << "unknown strides prove nothing";
}

TEST(TypeTest, ContiguousTensorComputesStrides) {
  Context context;
  Device cpu{context.identifier("cpu"), -1};
  EXPECT_EQ(context.contiguousTensor(DType::F32, {Dim(2), Dim(3), Dim(4)}, cpu)->str(), "f32[2, 3, 4][12, 4, 1]cpu");
  EXPECT_EQ(context.contiguousTensor(DType::F32, {Dim(2), Dim(0), Dim(4)}, cpu)->str(), "f32[2, 0, 4][4, 4, 1]cpu");
  EXPECT_EQ(context.contiguousTensor(DType::F32, {Dim(2), Dim(context.symbolic("u0 + u1"))}, cpu)->str(),
            "f32[2, u0 + u1][Max(1, u0 + u1), 1]cpu");
}

TEST(TypeTest, AccessorsOfAnotherKindSeeNothing) {
  Context context;
  const Type *tensor = parsed(context, "f32[2, 3][3, 1]cpu");
  EXPECT_TRUE(tensor->elements().empty());
  const Type *list = context.list({tensor, nullptr});
  EXPECT_TRUE(list->sizes().empty());
  EXPECT_TRUE(list->strides().empty());
}

TEST(TypeTest, ErrorsNameColumnAndExpectation) {
  EXPECT_EQ(errorOf("q32[2]"), "type 'q32[2]', column 1: expected a dtype such as bf16, f32, i64, b8, followed by '['");
  EXPECT_EQ(errorOf("f32[2, 3][1]cpu"),
            "type 'f32[2, 3][1]cpu', column 13: expected as many strides (1 given) as sizes (2)");
  EXPECT_EQ(errorOf("f32[2"), "type 'f32[2', column 5: expected a size and then ',' or ']'");
  EXPECT_EQ(errorOf("f32[2, ]"), "type 'f32[2, ]', column 7: expected a size and then ',' or ']'");
  EXPECT_EQ(errorOf("f32[2][1]cuda:x"),
            "type 'f32[2][1]cuda:x', column 10: expected a device such as cpu or cuda:0 after the sizes and strides");
  EXPECT_EQ(errorOf("Sym("), "type 'Sym(', column 5: expected an expression and ')' after 'Sym('");
}
