// Angles: what cosines and sines are computed from, so that the addition theorems hold for multiples of one angle.
//
// A rotation by a base angle f is a pseudo-random point of the circle c^2 + s^2 = 1: with t for tan(f / 2), an odd
// pseudo-random function of f, c = (1 - t^2) / (1 + t^2) and s = 2 t / (1 + t^2). -1 has no square root modulo p, so
// 1 + t^2 always has an inverse. A rotation by m f is the m-th power, so
//   cos(a + b) = cos(a) cos(b) - sin(a) sin(b), and the same of sines, where a and b are multiples of one base;
//   cos(x)^2 + sin(x)^2 = 1, cos(-x) = cos(x), sin(-x) = -sin(x), cos(0) = 1 and sin(0) = 0 for all x.
// They are what rotary embeddings need: positions that all move by one change no score, and a rotation changes no norm.
// Which multiple of which base an angle is, is found from its neighbours: positions times a frequency differ by the
// frequency. Fractions of small integers are multiples of one fraction. An angle keeps what was found first, so that
// equal angles have equal cosines throughout an evaluation.
// Source of the laws: the addition theorems; of the form: the rational parametrization of the circle.
//
// Ownership: plain numbers. Failure: none; an angle without a base is its own. Cost: a lookup for an angle that is
// known, else a product for each base, and an inverse for each dimension of the array.
#pragma once

#include "array.h"

namespace ccgraph::equality {

struct Rotation {
  Word cosine = 0;
  Word sine = 0;
};

/// Returns the rotation by an angle.
[[nodiscard]] Rotation rotationBy(Field &field, const Angle &angle);
/// Returns the rotations by the elements of an array of floats; a mark gives notANumber.
[[nodiscard]] std::vector<Rotation> rotationsBy(Field &field, const Array &angles);

} // namespace ccgraph::equality
