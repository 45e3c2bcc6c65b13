// Tests kernels for devices that read or compute positions: gather, scatter and indexing, maxima with their positions,
// sorted lines, running sums; and complex numbers. The results are compared with ccgraph's host kernels, in any order
// of units.
#include "both_ways.h"

namespace ccgraph::test {
namespace {

Value number(int64_t value) { return Value::integer(value); }

/// Returns non-negative numbers below `most`, the same in each run.
Tensor drawnPlaces(std::vector<int64_t> sizes, int64_t most, DType dtype = DType::I64) {
  static std::mt19937 engine(11);
  Tensor wide = Tensor::zeros(DType::I64, sizes), places = Tensor::zeros(dtype, sizes);
  auto *data = reinterpret_cast<int64_t *>(wide.data());
  for (int64_t i = 0; i < wide.numElements(); ++i)
    data[i] = static_cast<int64_t>(engine() % static_cast<uint64_t>(most));
  places.copyFrom(wide);
  return places;
}
Tensor listed(std::vector<double> values, DType dtype = DType::F32) {
  Tensor wide = Tensor::zeros(DType::F64, {static_cast<int64_t>(values.size())});
  llvm::copy(values, reinterpret_cast<double *>(wide.data()));
  Tensor tensor = Tensor::zeros(dtype, wide.sizes());
  tensor.copyFrom(wide);
  return tensor;
}
Tensor drawnComplex(std::vector<int64_t> sizes, DType dtype = DType::C64) {
  sizes.push_back(2);
  Tensor parts = drawn(dtype == DType::C64 ? DType::F32 : DType::F64, sizes);
  return llvm::cantFail(runKernel(*runtime::findKernel("aten.view_as_complex.default"), KernelCall{{parts}, {}}))
      .tensor();
}
/// Compares complex results as pairs of numbers.
void expectComplexAsOnHost(llvm::StringRef target, const Values &arguments) {
  auto parts = [](const Tensor &tensor) {
    return llvm::cantFail(runKernel(*runtime::findKernel("aten.view_as_real.default"), KernelCall{{tensor}, {}}))
        .tensor();
  };
  Tensor expected = llvm::cantFail(runKernel(*runtime::findKernel(target), KernelCall{arguments, {}})).tensor();
  for (uint64_t order : {0, 1, 6, 7}) {
    Tensors destinations = destinationsFor({expected}, {});
    computeAsDevice(target, arguments, destinations, order);
    expectClose(parts(destinations.front()), parts(expected), target.str());
  }
}

// --- Gather and scatter ---------------------------------------------------------------------------------------

TEST(CudaKernels, OneElementALineIsPicked) {
  for (DType dtype : {DType::F16, DType::F32, DType::F64, DType::U8, DType::I64})
    for (DType index : {DType::I32, DType::I64}) {
      Tensor x = drawn(dtype, {5, 300, 3}, 50);
      expectAsOnHost("aten.gather.default", {x, number(1), drawnPlaces({5, 7, 3}, 300, index)});
      expectAsOnHost("aten.gather.default", {x.permute({2, 1, 0}), number(-1), drawnPlaces({2, 300, 4}, 5, index)});
    }
  expectAsOnHost("aten.gather.default", {drawn(DType::F32, {}), number(0), drawnPlaces({}, 1)});
  expectComplexAsOnHost("aten.gather.default", {drawnComplex({4, 6}), number(1), drawnPlaces({4, 2}, 6)});
}

TEST(CudaKernels, OneElementALineIsPut) {
  for (DType dtype : {DType::BF16, DType::F32, DType::F64, DType::I32}) {
    Tensor x = drawn(dtype, {4, 9, 70}, 50), index = drawnPlaces({4, 5, 70}, 9), source = drawn(dtype, {4, 6, 70}, 50);
    for (const char *name : {"scatter.src", "scatter_.src", "scatter_add.default", "scatter_add_.default"})
      expectAsOnHost("aten." + std::string(name), {x, number(1), index, source});
    expectAsOnHost("aten.scatter.value", {x, number(1), index, number(-1)});
    expectAsOnHost("aten.scatter_.value", {x, number(1), index, Value::floating(2.5)});
  }
  expectAsOnHost("aten.scatter.value",
                 {Tensor::zeros(DType::Bool, {3, 5}), number(-1), drawnPlaces({3, 2}, 5), Value::boolean(true)});
}

// --- Indexing -------------------------------------------------------------------------------------------------

Value indices(std::initializer_list<Value> list) { return Value::list(Values(list)); }

TEST(CudaKernels, TensorsAreIndexed) {
  for (DType dtype : {DType::F16, DType::F32, DType::I64}) {
    Tensor x = drawn(dtype, {6, 5, 270}, 50), i = drawnPlaces({4}, 6), j = drawnPlaces({3, 1}, 5, DType::I32);
    expectAsOnHost("aten.index.Tensor", {x, indices({i})});
    expectAsOnHost("aten.index.Tensor", {x, indices({i, j})});
    expectAsOnHost("aten.index.Tensor", {x, indices({Value(), j})});
    expectAsOnHost("aten.index.Tensor", {x, indices({i, Value(), drawnPlaces({4}, 270)})});
    expectAsOnHost("aten.index_select.default", {x, number(1), drawnPlaces({7}, 5)});
  }
  expectAsOnHost("aten.index.Tensor", {drawn(DType::F32, {6, 3}), indices({listed({-1, 2, -6}, DType::I64)})});
  expectComplexAsOnHost("aten.index.Tensor", {drawnComplex({4, 6}), indices({drawnPlaces({3}, 4)})});
}

TEST(CudaKernels, ValuesArePutAtIndices) {
  for (DType dtype : {DType::BF16, DType::F32, DType::F64, DType::I32})
    for (bool adds : {false, true}) {
      Tensor x = drawn(dtype, {6, 5, 270}, 9), i = drawnPlaces({4}, 6), j = drawnPlaces({3, 1}, 5);
      for (const char *name : {"index_put", "index_put_"}) {
        std::string target = "aten." + std::string(name) + ".default";
        // The first of the indices names one position twice.
        expectAsOnHost(target, {x, indices({listed({3, 0, 3, -1}, DType::I64)}), drawn(dtype, {4, 5, 270}, 9),
                                Value::boolean(adds)});
        expectAsOnHost(target, {x, indices({i, j}), drawn(dtype, {270}, 9), Value::boolean(adds)});
        expectAsOnHost(target, {x, indices({Value(), j}), drawn(dtype, {}, 9), Value::boolean(adds)});
      }
    }
  expectAsOnHost(
      "aten.index_put.default",
      {drawn(DType::F32, {5, 4}), indices({drawnPlaces({5}, 5), drawnPlaces({5}, 4)}), drawn(DType::F32, {5})});
}

/// Tests the gradient of an embedding, in the form of PyTorch's graphs for a divided vocabulary: words of other ranks
/// have any index.
TEST(CudaKernels, MaskedValuesAreAdded) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    Tensor mask = Tensor::zeros(DType::Bool, {6, 1});
    mask.copyFrom(listed({1, 0, 1, 1, 0, 1}, DType::Bool).unsqueeze(1));
    expectAsOnHost("aten._unsafe_masked_index_put_accumulate.default",
                   {Tensor::zeros(dtype, {4, 300}), mask, indices({listed({3, 99, 3, -4, -77, 0}, DType::I64)}),
                    drawn(dtype, {6, 300})});
  }
}

/// The invalid index is in the second line, so that a position before it is in the first line.
TEST(CudaKernels, APlaceOutOfRangeFails) {
  Tensor x = drawn(DType::F32, {2, 4}), out = Tensor::zeros(DType::F32, {2, 1});
  auto ends = [&](llvm::StringRef target, const Values &arguments) {
    return runOnHost(llvm::cantFail(runtime::cudaJobs(target, arguments, {out})).front());
  };
  for (int64_t place : {-5, -1, 0, 3, 4}) {
    Tensor index = listed({0, static_cast<double>(place)}, DType::I64), one = index.slice(0, 1, 2);
    EXPECT_EQ(ends("aten.gather.default", {x, number(1), index.unsqueeze(1)}), place >= 0 && place < 4) << place;
    EXPECT_EQ(ends("aten.index.Tensor", {x, indices({Value(), one})}), place >= -4 && place < 4) << place;
  }
}

TEST(CudaKernels, WhatOverlapsWhatIsPutIsRefused) {
  Tensor x = drawn(DType::F32, {8}), index = drawnPlaces({4}, 4);
  auto jobs = runtime::cudaJobs("aten.scatter_.src", {x, number(0), index, x.slice(0, 4, 8)}, {Tensor()});
  EXPECT_EQ(llvm::toString(jobs.takeError()),
            "aten.scatter_.src: got f32[4][1] that overlaps what is written, which a device does at once");
}

TEST(CudaKernels, MasksAsIndicesAreAnothersBusiness) {
  auto takes = [](llvm::StringRef target, std::vector<DType> dtypes) {
    return runtime::cudaProvider().find(target)->onDevice()->takes(dtypes);
  };
  EXPECT_TRUE(takes("aten.index.Tensor", {DType::F32, DType::I64, DType::F32}));
  EXPECT_FALSE(takes("aten.index.Tensor", {DType::F32, DType::Bool, DType::F32}));
  EXPECT_FALSE(takes("aten.index_put_.default", {DType::F32, DType::U8, DType::F32}));
  EXPECT_TRUE(takes("aten.gather.default", {DType::C64, DType::I64, DType::C64}));
  EXPECT_FALSE(takes("aten.gather.default", {DType::C64, DType::I64, DType::U64}));
  EXPECT_TRUE(takes("aten.mul.Tensor", {DType::C64, DType::C64, DType::C64}));
  EXPECT_FALSE(takes("aten.mul.Tensor", {DType::C64, DType::F32, DType::C64}));
}

// --- Order ----------------------------------------------------------------------------------------------------

TEST(CudaKernels, MaximaHavePlaces) {
  for (DType dtype : {DType::F16, DType::F32, DType::F64, DType::U8, DType::I64}) {
    // There are few different numbers, so that many are equal and the first of them must be found.
    Tensor x = Tensor::zeros(dtype, {4, 600, 3});
    x.copyFrom(drawnPlaces({4, 600, 3}, 5));
    for (const char *name : {"max.dim", "min.dim", "argmax.default", "argmin.default"})
      for (int64_t dim : {0, 1, -1})
        for (bool keep : {false, true})
          expectAsOnHost("aten." + std::string(name), {x, number(dim), Value::boolean(keep)});
    expectAsOnHost("aten.argmax.default", {x});
    expectAsOnHost("aten.argmin.default", {x.permute({2, 0, 1})});
  }
  expectAsOnHost("aten.max.dim", {drawn(DType::F32, {}), number(0)});
  Tensor x = drawn(DType::F32, {700});
  for (int64_t at : {300, 650})
    reinterpret_cast<float *>(x.data())[at] = NAN;
  expectAsOnHost("aten.max.dim", {x, number(0)});
  expectAsOnHost("aten.argmin.default", {x});
}

/// Tests positions beyond which f32 cannot represent every whole number.
TEST(CudaKernels, PlacesAreWholeNumbers) {
  int64_t length = (int64_t{1} << 24) + 2;
  Tensor x = Tensor::zeros(DType::U8, {length}), place = Tensor::zeros(DType::I64, {});
  x.data()[length - 1] = std::byte(1);
  auto placeOf = [&](const Tensor &of) {
    EXPECT_TRUE(runOnHost(llvm::cantFail(runtime::cudaJobs("aten.argmax.default", {of}, {place})).front()));
    return elementsOf(place).front();
  };
  EXPECT_EQ(placeOf(x), static_cast<double>(length - 1));
  Tensor rising = Tensor::zeros(DType::F32, {length});
  reinterpret_cast<float *>(rising.data())[length - 1] = 1;
  EXPECT_EQ(placeOf(rising), static_cast<double>(length - 1));
}

TEST(CudaKernels, LinesAreSorted) {
  for (DType dtype : {DType::F32, DType::BF16, DType::I64}) {
    Tensor x = Tensor::zeros(dtype, {3, 300, 2});
    x.copyFrom(drawnPlaces({3, 300, 2}, 40));
    for (bool falls : {false, true}) {
      expectAsOnHost("aten.sort.default", {x, number(1), Value::boolean(falls)});
      expectAsOnHost("aten.sort.stable", {x, Value::boolean(true), number(0), Value::boolean(falls)});
      for (int64_t count : {0, 1, 7, 300})
        expectAsOnHost("aten.topk.default", {x, number(count), number(1), Value::boolean(falls)});
    }
  }
  Tensor x = listed({2, NAN, -1, NAN, 5});
  for (bool falls : {false, true})
    expectAsOnHost("aten.sort.default", {x, number(0), Value::boolean(falls)});
}

TEST(CudaKernels, SumsRun) {
  for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::I32, DType::Bool})
    for (int64_t dim : {0, 1, -1})
      expectAsOnHost("aten.cumsum.default", {drawn(dtype, {5, 300, 3}), number(dim)});
}

TEST(CudaKernels, TrianglesAreKept) {
  for (DType dtype : {DType::Bool, DType::F32, DType::I64})
    for (int64_t diagonal : {-2, 0, 1})
      for (const char *name : {"tril", "triu"})
        expectAsOnHost("aten." + std::string(name) + ".default", {drawn(dtype, {3, 5, 300}), number(diagonal)});
}

TEST(CudaKernels, SoftmaxIsPrepared) {
  for (DType dtype : {DType::F32, DType::F64})
    for (int64_t dim : {1, -1}) {
      Tensor x = drawn(dtype, {4, 300, 2}, 200);
      expectAsOnHost("prims.prepare_softmax_online.default", {x, number(dim)});
    }
}

// --- Complex numbers ------------------------------------------------------------------------------------------

TEST(CudaKernels, ComplexNumbersAreMultiplied) {
  for (DType dtype : {DType::C64, DType::C128}) {
    Tensor a = drawnComplex({4, 30, 3}, dtype), b = drawnComplex({30, 1}, dtype);
    expectComplexAsOnHost("aten.mul.Tensor", {a, b});
    expectComplexAsOnHost("aten.mul.Tensor", {a.permute({2, 1, 0}), b});
    expectComplexAsOnHost("aten._conj.default", {a.permute({2, 1, 0})});
  }
  // The result overwrites an operand's own memory.
  Tensor a = drawnComplex({300}), b = drawnComplex({300});
  Tensor expected = llvm::cantFail(runKernel(*runtime::findKernel("aten.mul.Tensor"), KernelCall{{a, b}, {}})).tensor();
  computeAsDevice("aten.mul.Tensor", {a, b}, {b}, 1);
  auto real = *runtime::findKernel("aten.view_as_real.default");
  expectClose(llvm::cantFail(runKernel(real, KernelCall{{b}, {}})).tensor(),
              llvm::cantFail(runKernel(real, KernelCall{{expected}, {}})).tensor(), "in place");
}

TEST(CudaKernels, ListsAreStretchedAndCopied) {
  Tensor a = drawn(DType::F32, {5, 1}), b = drawn(DType::F32, {1, 300}), to = Tensor::zeros(DType::F32, {5, 300});
  Tensor other = Tensor::zeros(DType::F32, {5, 300}), expected = Tensor::zeros(DType::F32, {5, 300});
  computeAsDevice("aten.broadcast_tensors.default", {Value::tensors({a, b})}, {to, other}, 0);
  expected.copyFrom(llvm::cantFail(a.expand({5, 300})));
  expectClose(to, expected, "the first");
  expected.copyFrom(llvm::cantFail(b.expand({5, 300})));
  expectClose(other, expected, "the second");
  expectAsOnHost("aten.expand.default", {a, Value::list({number(5), number(300)})});
  computeAsDevice("aten.expand.default", {b, Value::list({number(5), number(300)})}, {to}, 0);
  expectClose(to, expected, "a stretched tensor of its own");
  expectAsOnHost("aten._foreach_copy_.default", {Value::tensors({drawn(DType::F32, {3}), drawn(DType::BF16, {2, 300})}),
                                                 Value::tensors({drawn(DType::F32, {3}), drawn(DType::F32, {300})})});
  expectAsOnHost("aten.log_sigmoid_forward.default", {drawn(DType::F32, {300})});
  expectAsOnHost("aten.true_divide.Tensor", {drawn(DType::I32, {300}, 50), drawn(DType::F32, {300})});
}

} // namespace
} // namespace ccgraph::test
