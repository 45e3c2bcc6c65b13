#include "rendezvous/record_bytes.h"

#include <concepts>

namespace ccgraph::runtime {
namespace {

// Each structure has one list of its members, which serves both writing and reading.

struct Writing {
  ByteWriter &to;
  void operator()(const int64_t &value) { to.number(value); }
  void operator()(const size_t &value) { to.number(static_cast<int64_t>(value)); }
  void operator()(const bool &value) { to.number(value ? 1 : 0); }
  void operator()(const std::string &value) { to.text(value); }
  void operator()(const std::vector<int64_t> &value) { to.numbers(value); }
  void operator()(const FlightState &value) { to.number(static_cast<int64_t>(value)); }
  void operator()(const RankActivity &value) { to.number(static_cast<int64_t>(value)); }
  void operator()(const std::optional<int64_t> &value) {
    (*this)(value.has_value());
    (*this)(value.value_or(0));
  }
  template <typename T>
  void operator()(const std::vector<T> &values) {
    (*this)(values.size());
    for (const T &value : values)
      members(*this, value);
  }
};

struct Reading {
  ByteReader &from;
  void operator()(int64_t &value) { value = from.number(); }
  void operator()(size_t &value) { value = static_cast<size_t>(from.number()); }
  void operator()(bool &value) { value = from.number() != 0; }
  void operator()(std::string &value) { value = from.text(); }
  void operator()(std::vector<int64_t> &value) { value = from.numbers(); }
  void operator()(FlightState &value) { value = static_cast<FlightState>(from.number()); }
  void operator()(RankActivity &value) { value = static_cast<RankActivity>(from.number()); }
  void operator()(std::optional<int64_t> &value) {
    bool there = from.number() != 0;
    int64_t number = from.number();
    value = there ? std::optional(number) : std::nullopt;
  }
  template <typename T>
  void operator()(std::vector<T> &values) {
    // Every element takes a number at least.
    values.resize(from.length(sizeof(int64_t)));
    for (T &value : values)
      members(*this, value);
  }
};

/// The value that is written or read, by the direction.
template <typename T, typename Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>;

template <typename Each, typename... Fields>
void all(Each &each, Fields &...fields) {
  (each(fields), ...);
}

template <typename Each, Either<FlightTensor> T>
void members(Each &each, T &it) {
  all(each, it.dtype, it.elements);
}

template <typename Each, Either<FlightGroup> T>
void members(Each &each, T &it) {
  all(each, it.name, it.description, it.ranks);
}

template <typename Each, Either<FlightTimes> T>
void members(Each &each, T &it) {
  all(each, it.scheduled, it.started, it.completed);
}

template <typename Each, Either<FlightStep> T>
void members(Each &each, T &it) {
  all(each, it.position, it.name, it.operation, it.communicates, it.stream);
  members(each, it.times);
}

template <typename Each, Either<FlightCall> T>
void members(Each &each, T &it) {
  all(each, it.group, it.sequence, it.operation, it.detail, it.peer, it.tag, it.inputs, it.outputs, it.state, it.step,
      it.position, it.departure);
  members(each, it.times);
}

template <typename Each, Either<FlightRecord> T>
void members(Each &each, T &it) {
  all(each, it.rank, it.worldSize, it.engine, it.graphDigest, it.taken, it.activity, it.busyWith, it.forgottenCalls,
      it.forgottenSteps, it.groups, it.calls, it.steps);
}

} // namespace

void write(ByteWriter &to, const FlightRecord &record) {
  Writing each{to};
  members(each, record);
}

FlightRecord readRecord(ByteReader &from) {
  FlightRecord record;
  Reading each{from};
  members(each, record);
  return record;
}

} // namespace ccgraph::runtime
