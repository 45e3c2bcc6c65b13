// The laws of cosines and sines: of one base angle the addition theorems hold, of other angles they do not.
#include "angles.h"

#include "law.h"

namespace ccgraph::equality {
namespace {

Word sum(const Rotation &a, const Rotation &b) {
  return subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine));
}

TEST(Angles, ACosineOfASumOfMultiplesObeysTheAdditionTheorem) {
  Field field(7);
  for (uint64_t i = 0; i != 20; ++i) {
    const Word base = field.draw(i);
    const Rotation a = rotationBy(field, {5, base}), b = rotationBy(field, {-2, base});
    EXPECT_EQ(rotationBy(field, {3, base}).cosine, sum(a, b));
    EXPECT_EQ(add(multiply(a.cosine, a.cosine), multiply(a.sine, a.sine)), fromPlain(1));
    EXPECT_NE(a.cosine, rotationBy(field, {5, field.draw(i + 100)}).cosine);
    const Rotation opposite = rotationBy(field, {5, negate(base)});
    EXPECT_EQ(opposite.cosine, a.cosine);
    EXPECT_EQ(opposite.sine, negate(a.sine));
  }
  EXPECT_EQ(field.numGaps(), 0U);
}

TEST(Angles, DigitsOfARotationNeedNoFurtherDigitsOfItsBase) {
  Field field(7);
  const Word base = field.draw(1), other = add(base, numberOfInteger(static_cast<int64_t>(prime)));
  const Rotation a = rotationBy(field, {9, base}), b = rotationBy(field, {9, other});
  EXPECT_EQ(truncate(a.cosine, 1), truncate(b.cosine, 1));
  EXPECT_EQ(truncate(a.sine, 1), truncate(b.sine, 1));
  EXPECT_NE(truncate(a.cosine, 2), truncate(b.cosine, 2));
}

Array column(llvm::ArrayRef<int64_t> times, Word base, unsigned digits = fullDigits) {
  Words words;
  for (int64_t it : times)
    words.push_back(multiply(numberOfInteger(it), base));
  const auto size = static_cast<int64_t>(words.size());
  return makeArray(Kind::Float, {size}, std::move(words), digits);
}

TEST(Angles, AMultipleHasOneRotationInEveryArray) {
  const Word base = Field(7).draw(1);
  for (bool wholeFirst : {false, true}) {
    Field field(7);
    const Array whole = column({0, 1, 2, 3, 4, 5, 6, 7}, base), one = column({6}, base), strided = column({1, 4}, base);
    if (wholeFirst)
      (void)rotationsBy(field, whole);
    const Word single = rotationsBy(field, one)[0].cosine, second = rotationsBy(field, strided)[1].cosine;
    const std::vector<Rotation> all = rotationsBy(field, whole);
    EXPECT_EQ(all[6].cosine, single);
    EXPECT_EQ(all[4].cosine, second);
    EXPECT_EQ(all[0].cosine, fromPlain(1));
    EXPECT_EQ(truncate(rotationsBy(field, column({3, 4}, base, 2))[1].cosine, 2), truncate(second, 2));
  }
}

TEST(Angles, AnAngleBeyondTheKnownOnesIsAMultipleOfTheirBase) {
  Field field(7);
  const Word base = field.draw(1);
  const std::vector<Rotation> known = rotationsBy(field, column({1, 2, 3}, base));
  EXPECT_EQ(rotationsBy(field, column({5}, base))[0].cosine, sum(known[1], known[2]));
}

TEST(Angles, AFrequencyThatIsAFractionHasOneBase) {
  Field field(7);
  const Array tenths = column({1, 2, 3, 10, 20, 30}, field.inverse(numberOfInteger(10)));
  const std::vector<Rotation> rotations = rotationsBy(field, tenths);
  EXPECT_EQ(sum(rotations[0], rotations[1]), rotations[2].cosine);
  EXPECT_EQ(sum(rotations[3], rotations[4]), rotations[5].cosine);
  EXPECT_EQ(rotationsBy(field, column({3, 1}, fromPlain(1)))[0].cosine, rotations[5].cosine);
  EXPECT_EQ(field.numGaps(), 0U);
}

TEST(Angles, AMarkHasNoCosine) {
  Field field(7);
  const std::vector<Rotation> rotations = rotationsBy(field, filled(Kind::Float, {1}, positiveInfinity));
  EXPECT_EQ(rotations[0].cosine, notANumber);
}

// Scores of rotary embeddings: rotate(q, a) * rotate(k, b). `moved` maps the positions t from `start` on to u.
std::string scores(int start, const char *moved) {
  const std::string begin = std::to_string(start), end = std::to_string(start + 4);
  return "p = torch.ops.aten.arange.start(" + begin + ", " + end + R"()
    t = torch.ops.aten._to_copy.default(p, dtype = torch.float32)
    u = )" +
         moved + R"(
    v = torch.ops.aten.unsqueeze.default(u, 1)
    angles = torch.ops.aten.mul.Tensor(v, f)
    cos = torch.ops.aten.cos.default(angles)
    sin = torch.ops.aten.sin.default(angles)
    a = torch.ops.aten.mul.Tensor(q0, cos)
    b = torch.ops.aten.mul.Tensor(q1, sin)
    c = torch.ops.aten.sub.Tensor(a, b)
    d = torch.ops.aten.mul.Tensor(q0, sin)
    e = torch.ops.aten.mul.Tensor(q1, cos)
    g = torch.ops.aten.add.Tensor(d, e)
    h = torch.ops.aten.t.default(c)
    i = torch.ops.aten.t.default(g)
    j = torch.ops.aten.mm.default(c, h)
    k = torch.ops.aten.mm.default(g, i)
    y = torch.ops.aten.add.Tensor(j, k))";
}

const char *const inputs = R"(q0: "f32[4, 3]", q1: "f32[4, 3]", f: "f32[3]")";
const char *const unchanged = "torch.ops.aten.mul.Tensor(t, 1)";

TEST(Angles, ScoresOfRotatedEmbeddingsDependOnDistances) {
  const std::string first = scores(0, unchanged), shifted = scores(7, unchanged);
  checkLaw({"shifted", inputs, first.c_str(), shifted.c_str(), true});
  const std::string halves = scores(0, "torch.ops.aten.mul.Tensor(t, 0.5)");
  const std::string shiftedHalves = scores(7, "torch.ops.aten.mul.Tensor(t, 0.5)");
  checkLaw({"halves", inputs, halves.c_str(), shiftedHalves.c_str(), true});
}

TEST(Angles, ScoresOfOtherDistancesDiffer) {
  const std::string first = scores(0, unchanged);
  const std::string squares = scores(0, "torch.ops.aten.mul.Tensor(t, t)");
  const std::string wide = scores(0, "torch.ops.aten.mul.Tensor(t, 2)");
  checkLaw({"squares", inputs, first.c_str(), squares.c_str(), false});
  checkLaw({"wide", inputs, first.c_str(), wide.c_str(), false});
}

} // namespace
} // namespace ccgraph::equality
