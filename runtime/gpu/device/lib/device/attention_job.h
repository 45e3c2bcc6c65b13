// Attention: softmax(scale q k^T + bias) v of each head, and its gradients: A. Vaswani et al., "Attention Is All You
// Need" (2017). It matches kernels/attention.cpp and uses its names.
//
//   AttentionJob   a unit is a query: its scores are folded twice, into the largest and into the sum of exponentials,
//                  and made a third time, a board of keys after the other, to weigh the values
//   QueryGradJob   a unit is a query: the slopes of its scores weigh the keys
//   KeyGradJob     a unit is a key: of all queries that see it, probabilities weigh the gradient, and slopes the
//                  queries; heads of queries that share a head of keys add up there, in their order
// No matrix of scores is ever stored, so no memory is allocated: each score is recomputed where it is needed.
//
// Plain values. Failure: none. Cost: per query and key, four products of two vectors forward and some eight backward,
// by single threads: correct, but far slower than the matrix units of devices.
#pragma once

#include "device/row.h"

namespace ccgraph::runtime::device {

/// [batch, heads, tokens, features], strides in elements; not there where it has no address.
struct HeadTensor {
  std::byte *data = nullptr;
  Element element = Element::F32;
  int64_t strides[4] = {};
};
struct Token {
  int64_t batch = 0, head = 0, token = 0;
};
CCGRAPH_ANYWHERE inline int64_t placeOf(const HeadTensor &heads, const Token &at, int64_t feature) {
  return at.batch * heads.strides[0] + at.head * heads.strides[1] + at.token * heads.strides[2] +
         feature * heads.strides[3];
}
template <typename C>
CCGRAPH_ANYWHERE C get(const HeadTensor &heads, const Token &at, int64_t feature) {
  return load<C>(heads.data, heads.element, placeOf(heads, at, feature));
}
template <typename C>
CCGRAPH_ANYWHERE void set(const HeadTensor &heads, const Token &at, int64_t feature, C value) {
  if (heads.data)
    store(heads.data, heads.element, placeOf(heads, at, feature), value);
}

/// The operands of all three jobs.
struct Attention {
  static constexpr bool hasWhole = false;
  Arithmetic arithmetic = Arithmetic::Single;
  int64_t batches = 0, heads = 0, queries = 0, keys = 0;
  /// a head of keys may serve several neighbouring heads of queries
  int64_t sharedHeads = 0;
  int64_t features = 0, valueFeatures = 0;
  HeadTensor query, key, value;
  /// its features are keys
  HeadTensor bias;
  /// query i sees keys 0..i
  bool causal = false;
  double scale = 1;
};
struct AttentionJob : Attention {
  /// `logSums` has one feature: the logarithm of the sum of exponentials of a query's scores
  HeadTensor output, logSums;
};
struct AttentionGrad : Attention {
  HeadTensor grad, output, logSums;
};
struct QueryGradJob : AttentionGrad {
  HeadTensor queryGrad;
};
struct KeyGradJob : AttentionGrad {
  HeadTensor keyGrad, valueGrad;
};

CCGRAPH_ANYWHERE inline Token keyOf(const Attention &job, const Token &query, int64_t key) {
  return {query.batch, query.head * job.sharedHeads / job.heads, key};
}

/// One vector of a tensor.
struct Vector {
  const HeadTensor &heads;
  Token at;
};
template <typename C>
CCGRAPH_ANYWHERE C dot(const Vector &a, const Vector &b, int64_t features) {
  C sum = C();
  for (int64_t f = 0; f < features; ++f)
    sum += get<C>(a.heads, a.at, f) * get<C>(b.heads, b.at, f);
  return sum;
}

/// Minus infinity where the query does not see the key.
template <typename C>
CCGRAPH_ANYWHERE C scoreOf(const Attention &job, const Token &query, int64_t key) {
  if (job.causal && key > query.token)
    return least<C>();
  C score = dot<C>({job.query, query}, {job.key, keyOf(job, query, key)}, job.features) * static_cast<C>(job.scale);
  return job.bias.data ? score + get<C>(job.bias, query, key) : score;
}

/// How much a query takes of a key, by the forward operator's word.
template <typename C>
CCGRAPH_ANYWHERE C probabilityOf(const AttentionGrad &job, const Token &query, int64_t key) {
  C score = scoreOf<C>(job, query, key);
  return score == least<C>() ? C() : std::exp(score - get<C>(job.logSums, query, 0));
}
/// The gradient of a product of a query and a key.
template <typename C>
CCGRAPH_ANYWHERE C slopeOf(const AttentionGrad &job, const Token &query, int64_t key) {
  Vector grad{job.grad, query};
  C taken = dot<C>(grad, {job.value, keyOf(job, query, key)}, job.valueFeatures);
  C given = dot<C>(grad, {job.output, query}, job.valueFeatures);
  return probabilityOf<C>(job, query, key) * (taken - given) * static_cast<C>(job.scale);
}

/// Sums of `count` vectors.
struct Sums {
  int64_t count;
  int64_t features;
};
/// set(f, sum over k of weight(k) * value(k, f)): the team fills a board of weights, and each thread then reads all of
/// it for its feature.
template <typename C, typename Team, typename Weight, typename Get, typename Set>
CCGRAPH_BY_TEAM void weigh(Team &team, const Sums &sums, Weight weight, Get value, Set set) {
  C *weights = team.template board<C>(0), *totals = team.template board<C>(1);
  for (int64_t first = 0; first < sums.features; first += teamThreads) {
    team.each([&](int thread) { totals[thread] = C(); });
    for (int64_t begin = 0; begin < sums.count; begin += teamThreads) {
      int64_t left = sums.count - begin < teamThreads ? sums.count - begin : teamThreads;
      team.each([&](int thread) {
        if (thread < left)
          weights[thread] = weight(begin + thread);
      });
      team.each([&](int thread) {
        for (int64_t k = 0; k < left && first + thread < sums.features; ++k)
          totals[thread] += weights[k] * value(begin + k, first + thread);
      });
    }
    team.each([&](int thread) {
      if (first + thread < sums.features)
        set(first + thread, totals[thread]);
    });
  }
}

/// A unit of a query.
CCGRAPH_ANYWHERE inline Token queryOf(const Attention &job, int64_t unit) {
  return {unit / job.queries / job.heads, unit / job.queries % job.heads, unit % job.queries};
}
CCGRAPH_ANYWHERE inline int64_t unitsOf(const AttentionJob &job) { return job.batches * job.heads * job.queries; }
CCGRAPH_ANYWHERE inline int64_t unitsOf(const QueryGradJob &job) { return job.batches * job.heads * job.queries; }
CCGRAPH_ANYWHERE inline int64_t unitsOf(const KeyGradJob &job) { return job.batches * job.sharedHeads * job.keys; }

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const AttentionJob &job, int64_t unit, Team &team) {
  Token query = queryOf(job, unit);
  auto score = [&](int64_t key) { return scoreOf<C>(job, query, key); };
  C most = folded(job.keys, team, least<C>(), score, TakeMost());
  // A query that sees no key gets zeros, and not infinity minus infinity.
  C shift = std::isinf(most) ? C() : most;
  C sum = folded(
      job.keys, team, C(), [&](int64_t key) { return std::exp(score(key) - shift); }, AddUp());
  weigh<C>(
      team, {job.keys, job.valueFeatures},
      [&](int64_t key) { return sum == C() ? C() : std::exp(score(key) - shift) / sum; },
      [&](int64_t key, int64_t f) { return get<C>(job.value, keyOf(job, query, key), f); },
      [&](int64_t f, C total) { set(job.output, query, f, total); });
  team.each([&](int thread) {
    if (thread == 0)
      set(job.logSums, query, 0, shift + std::log(sum));
  });
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const QueryGradJob &job, int64_t unit, Team &team) {
  Token query = queryOf(job, unit);
  weigh<C>(
      team, {job.keys, job.features}, [&](int64_t key) { return slopeOf<C>(job, query, key); },
      [&](int64_t key, int64_t f) { return get<C>(job.key, keyOf(job, query, key), f); },
      [&](int64_t f, C total) { set(job.queryGrad, query, f, total); });
}

template <typename C, typename Team>
CCGRAPH_BY_TEAM void runUnit(const KeyGradJob &job, int64_t unit, Team &team) {
  Token at{unit / job.keys / job.sharedHeads, unit / job.keys % job.sharedHeads, unit % job.keys};
  int64_t sharing = job.heads / job.sharedHeads;
  // All queries of all heads that share this one.
  auto query = [&](int64_t k) { return Token{at.batch, at.head * sharing + k / job.queries, k % job.queries}; };
  int64_t count = sharing * job.queries;
  weigh<C>(
      team, {count, job.valueFeatures}, [&](int64_t k) { return probabilityOf<C>(job, query(k), at.token); },
      [&](int64_t k, int64_t f) { return get<C>(job.grad, query(k), f); },
      [&](int64_t f, C total) { set(job.valueGrad, at, f, total); });
  weigh<C>(
      team, {count, job.features}, [&](int64_t k) { return slopeOf<C>(job, query(k), at.token); },
      [&](int64_t k, int64_t f) { return get<C>(job.query, query(k), f); },
      [&](int64_t f, C total) { set(job.keyGrad, at, f, total); });
}

} // namespace ccgraph::runtime::device
