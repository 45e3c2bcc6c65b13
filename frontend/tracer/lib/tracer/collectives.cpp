#include "ccgraph/tracer/collectives.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/views.h"
#include "tracer/eager_mode.h"
#include "tracer/groups.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::collectives {
namespace {

using tracer::Call;
using tracer::Operand;
using tracer::TensorList;
using tracer::detail::CallGroup;
using tracer::detail::EagerMode;
using tracer::detail::fail;
using tracer::detail::Mode;
using tracer::detail::problem;

/// One call of this API, with its name for messages, and its group.
struct Site {
  llvm::StringRef function;
  const GroupLike &group;
  llvm::StringRef tag;
  /// null where nothing is reduced
  const ReduceOp *reduceOp = nullptr;
};

TensorList failedList(Diagnostic why) {
  (void)fail(why);
  return TensorList::failed(std::move(why));
}

bool isKnown(const ReduceOp &op) {
  constexpr llvm::StringLiteral names[] = {"sum", "avg", "product", "min", "max", "band", "bor", "bxor"};
  return llvm::is_contained(names, op.name());
}

/// Returns the group's name and size, after a check of the reduction, if there is one.
llvm::Expected<CallGroup> expand(const Site &site) {
  if (!Mode::current())
    return makeError(tracer::detail::noModeProblem(site.function));
  if (site.reduceOp && !isKnown(*site.reduceOp))
    return makeError(problem("trace.reduce-op", site.function, "no reduction '" + site.reduceOp->name() + "'",
                             "sum, avg, product, min, max, band, bor, bxor, or premul_sum(factor)"));
  return groupOfCall(*Mode::current(), site.group, site.tag);
}

/// Gives the call its group, and launches it.
template <typename MakeCall>
Tensor launch(const Site &site, MakeCall makeCall) {
  llvm::Expected<CallGroup> group = expand(site);
  if (!group)
    return fail(tracer::detail::firstOf(group.takeError()));
  Tensor inFlight = tracer::call(makeCall(*group));
  return inFlight.isValid() ? Mode::current()->deferWait(inFlight) : inFlight;
}

template <typename MakeCall>
TensorList launchList(const Site &site, MakeCall makeCall) {
  llvm::Expected<CallGroup> group = expand(site);
  if (!group)
    return failedList(tracer::detail::firstOf(group.takeError()));
  TensorList inFlight = tracer::callList(makeCall(*group));
  if (inFlight.error())
    return inFlight;
  std::vector<Tensor> results;
  for (const Tensor &element : inFlight)
    results.push_back(Mode::current()->deferWait(element));
  return TensorList(std::move(results));
}

/// Returns the tensor that a reduction sums, multiplied first for premul_sum.
Tensor premultiplied(const Tensor &tensor, const ReduceOp &op) {
  return op.factor() ? tracer::call("aten.mul.Tensor", {tensor, *op.factor()}) : tensor;
}

Tensor notContiguous(llvm::StringRef function, const Tensor &self) {
  return fail(problem("trace.contiguous", function, "needs a contiguous input, got " + self.typeText(),
                      "call contiguous(input) first"));
}

/// Concatenates the rows of all ranks along another dimension.
Tensor besides(const Tensor &gathered, int64_t dim, int64_t ranks) {
  return dim == 0 ? gathered : cat(chunk(gathered, ranks, 0).tensors(), dim);
}

/// Concatenates shares of another dimension along dimension 0, since a collective scatters rows.
Tensor belowEachOther(const Tensor &tensor, int64_t dim, int64_t ranks) {
  return dim == 0 ? tensor : tracer::cat(chunk(tensor, ranks, dim).tensors());
}

Tensor gather(llvm::StringRef target, const Tensor &self, int64_t dim, const Site &site) {
  if (self.isValid() && !self.isContiguous())
    return notContiguous(site.function, self);
  int64_t ranks = 0;
  Tensor rows = launch(site, [&](const CallGroup &group) {
    ranks = group.size;
    return Call{target, {self, group.size, group.name}};
  });
  return rows.isValid() ? besides(rows, dim, ranks) : rows;
}

std::string notMultipleText(int64_t dim, int64_t size, int64_t ranks) {
  return "input dimension " + std::to_string(dim) + " (" + std::to_string(size) +
         ") must be a multiple of group_size " + std::to_string(ranks);
}

struct Scatter {
  const Tensor &self;
  const ReduceOp &op;
  int64_t dim;
};

Tensor scatter(llvm::StringRef target, const Scatter &what, const Site &site) {
  llvm::Expected<CallGroup> group = expand(site);
  if (!group)
    return fail(tracer::detail::firstOf(group.takeError()));
  if (what.self.isValid() && what.self.size(what.dim) % group->size != 0)
    return fail(
        problem("trace.scatter-dim", site.function, notMultipleText(what.dim, what.self.size(what.dim), group->size)));
  Tensor rows = belowEachOther(premultiplied(what.self, what.op), what.dim, group->size);
  return launch(site, [&](const CallGroup &members) {
    return Call{target, {rows, what.op.name(), members.size, members.name}};
  });
}

struct Exchange {
  const Tensor &self;
  const Splits &output, &input;
};

bool areEqual(const Splits &splits) { return !splits || llvm::is_splat(*splits); }

/// One call of a session is the call of all ranks: if all ranks send 3 rows to rank 0 and 1 row to rank 1, rank 0
/// receives 6 rows and rank 1 receives 2, but a tensor of a session has one shape.
bool isUnevenInSession(const Exchange &what) {
  Mode *mode = Mode::current();
  return mode && !mode->recorder() && !(areEqual(what.output) && areEqual(what.input));
}

Tensor exchange(llvm::StringRef target, const Exchange &what, const Site &site) {
  if (what.output.has_value() != what.input.has_value())
    return fail(problem("trace.splits", site.function,
                        "output_split_sizes and input_split_sizes must either be specified together or both set to "
                        "None"));
  if (isUnevenInSession(what))
    return fail(problem("eager.splits", site.function,
                        "got splits that are not equal, expected equal ones in a session: one call is the call of all "
                        "ranks, and a tensor has one shape on all of them",
                        "give the splits of every rank to all_to_all_single_of_ranks"));
  return launch(site, [&](const CallGroup &group) {
    std::vector<int64_t> equal(static_cast<size_t>(group.size), what.self.size(0) / group.size);
    return Call{target, {what.self, what.output.value_or(equal), what.input.value_or(equal), group.name}};
  });
}

/// The index of the trace's rank in a group.
struct Place {
  std::string group;
  size_t rank = 0;
  size_t size = 0;
};

llvm::Expected<Place> placeInGroup(const Site &site) {
  Mode *mode = Mode::current();
  if (!mode)
    return makeError(tracer::detail::noModeProblem(site.function));
  llvm::Expected<const Group *> resolved = tracer::detail::resolveGroup(*mode, site.group, site.tag);
  if (!resolved)
    return resolved.takeError();
  const Group *group = *resolved;
  if (!mode->rank())
    return makeError(problem("trace.rank", site.function,
                             "its splits hold the rank, and this trace is one text for every rank",
                             "give the trace a rank (TraceOptions::rank)"));
  llvm::ArrayRef<int64_t> members = group->members(*mode->rank());
  const auto *found = llvm::find(members, *mode->rank());
  if (found == members.end())
    return makeError(problem("trace.rank", site.function,
                             "Global rank " + std::to_string(*mode->rank()) + " is not part of group " + group->name));
  auto rank = static_cast<size_t>(found - members.begin());
  mode->noteFact({GuardFact::Rank, group->name, static_cast<int64_t>(rank)});
  mode->noteFact({GuardFact::Size, group->name, static_cast<int64_t>(members.size())});
  return Place{group->name, rank, members.size()};
}

/// Returns why these are not valid destinations; empty where they are.
std::string wrongPermutation(llvm::ArrayRef<int64_t> destinations, size_t ranks) {
  if (destinations.size() != ranks)
    return "got " + std::to_string(destinations.size()) + " destinations for a group of " + std::to_string(ranks) +
           " ranks";
  for (int64_t destination : destinations)
    if (destination < 0 || static_cast<size_t>(destination) >= ranks)
      return "destination " + std::to_string(destination) + " in a group of " + std::to_string(ranks) + " ranks";
  return "";
}

constexpr const char *splitsOfRanks = "rank r sends rows[r][p] rows to rank p of the group";

/// Returns why these are not the splits of ranks that each send `rows` rows, or any number if it is empty; empty where
/// they are.
std::string wrongSplits(const RankSplits &sent, size_t ranks, std::optional<int64_t> rows) {
  if (sent.rows.size() != ranks)
    return "got " + std::to_string(sent.rows.size()) + " lists of splits for a group of " + std::to_string(ranks) +
           " ranks";
  for (size_t rank = 0; rank != ranks; ++rank) {
    llvm::ArrayRef<int64_t> splits = sent.rows[rank];
    const std::string whose = "rank " + std::to_string(rank);
    if (splits.size() != ranks)
      return "the list of " + whose + " has " + std::to_string(splits.size()) + " splits, expected " +
             std::to_string(ranks);
    if (llvm::any_of(splits, [](int64_t split) { return split < 0; }))
      return "the list of " + whose + " has a negative split";
    if (int64_t sum = saturatingSum(splits); rows && sum != *rows)
      return "the splits of " + whose + " are of " + std::to_string(sum) + " rows, and its tensor has " +
             std::to_string(*rows);
  }
  return "";
}

/// Returns the numbers of rows that a rank receives, by sender.
std::vector<int64_t> receivedBy(const RankSplits &sent, size_t rank) {
  std::vector<int64_t> received;
  for (const std::vector<int64_t> &splits : sent.rows)
    received.push_back(splits[rank]);
  return received;
}

/// Returns where the rows that a rank receives are in the rows of all ranks, which follow one another.
std::vector<int64_t> placesOfRows(const RankSplits &sent, size_t rank) {
  std::vector<int64_t> places;
  int64_t begin = 0;
  for (llvm::ArrayRef<int64_t> splits : sent.rows) {
    const int64_t first = begin + saturatingSum(splits.take_front(rank));
    for (int64_t row = 0; row != splits[rank]; ++row)
      places.push_back(first + row);
    begin += saturatingSum(splits);
  }
  return places;
}

HostTensor numbersTensor(llvm::ArrayRef<int64_t> numbers) {
  HostTensor host;
  host.dtype = DType::I64;
  host.sizes = {static_cast<int64_t>(numbers.size())};
  host.data.resize(numbers.size() * sizeof(int64_t));
  if (!numbers.empty())
    std::memcpy(host.data.data(), numbers.data(), host.data.size());
  return host;
}

/// Returns for each rank of the session the places of the rows that it receives (placesOfRows).
llvm::Expected<std::vector<HostTensor>> placesOnRanks(const Group &group, const RankSplits &sent, const Site &site) {
  std::vector<HostTensor> places;
  for (int64_t rank = 0; rank != Mode::current()->worldSize().value_or(1); ++rank) {
    llvm::ArrayRef<int64_t> members = group.members(rank);
    const auto *place = llvm::find(members, rank);
    if (place == members.end())
      return makeError(problem("eager.group", site.function,
                               "rank " + std::to_string(rank) + " is not part of group " + group.name +
                                   ", and a session has all ranks' results",
                               "let every rank of the session be in one cell of the group"));
    places.push_back(numbersTensor(placesOfRows(sent, static_cast<size_t>(place - members.begin()))));
    if (places.back().sizes != places.front().sizes)
      return makeError(problem("eager.splits", site.function,
                               "rank 0 receives " + std::to_string(places.front().sizes.front()) + " rows and rank " +
                                   std::to_string(rank) + " receives " + std::to_string(places.back().sizes.front()) +
                                   ", and a tensor of a session has one shape on all ranks",
                               "pad the rows, or trace the program for each rank"));
  }
  return places;
}

// One call of a session runs on all ranks, and what each of them receives differs. So the rows of all ranks are
// gathered, and each rank selects its own.
Tensor exchangedInSession(EagerMode &session, const Tensor &self, const RankSplits &sent, const Site &site) {
  llvm::Expected<const Group *> group = tracer::detail::resolveGroup(session, site.group, site.tag);
  if (!group)
    return fail(tracer::detail::firstOf(group.takeError()));
  auto size = static_cast<size_t>((*group)->size().value_or(0));
  if (std::string wrong = wrongSplits(sent, size, self.isValid() ? std::optional(self.size(0)) : std::nullopt);
      !wrong.empty())
    return fail(problem("trace.splits", site.function, wrong, splitsOfRanks));
  auto places = placesOnRanks(**group, sent, site);
  if (!places)
    return fail(tracer::detail::firstOf(places.takeError()));
  std::string name = (*group)->name;
  Tensor all = all_gather_tensor(self, 0, name);
  return tracer::call("aten.index_select.default", {all, 0, session.tensor(*places)});
}

/// Returns the session of this thread; null if there is none.
EagerMode *currentSession() {
  // A mode that records nothing belongs to a session.
  Mode *mode = Mode::current();
  return mode && !mode->recorder() ? static_cast<EagerMode *>(mode) : nullptr;
}

// A permutation is an exchange of one row, the whole tensor.
Tensor permutedInSession(EagerMode &session, const Tensor &self, const std::vector<int64_t> &destinations,
                         const Site &site) {
  llvm::Expected<const Group *> group = tracer::detail::resolveGroup(session, site.group, site.tag);
  if (!group)
    return fail(tracer::detail::firstOf(group.takeError()));
  auto size = static_cast<size_t>((*group)->size().value_or(0));
  if (std::string wrong = wrongPermutation(destinations, size); !wrong.empty())
    return fail(problem("trace.permutation", site.function, wrong));
  RankSplits sent;
  sent.rows.assign(size, std::vector<int64_t>(size));
  for (size_t source = 0; source != size; ++source)
    sent.rows[source][static_cast<size_t>(destinations[source])] = 1;
  for (size_t rank = 0; rank != size; ++rank)
    if (!llvm::is_contained(destinations, static_cast<int64_t>(rank)))
      return fail(problem("eager.permutation", site.function,
                          "rank " + std::to_string(rank) + " receives nothing, and a session has all ranks' results",
                          "let each rank of the session receive from one rank"));
  Tensor one = exchangedInSession(session, tracer::view(self, {1, self.numel()}), sent, site);
  return tracer::view(one, self.sizes());
}

} // namespace

ReduceOp::ReduceOp(std::string name) : name_(llvm::StringRef(name).lower()) {}

ReduceOp premul_sum(const Operand &factor) {
  ReduceOp op("sum");
  op.factor_ = factor;
  return op;
}

Tensor wait_tensor(const Tensor &tensor) { return tracer::call("_c10d_functional.wait_tensor.default", {tensor}); }

Tensor broadcast(const Tensor &self, int64_t src, const GroupLike &group, llvm::StringRef tag) {
  return launch({"broadcast", group, tag}, [&](const CallGroup &members) {
    return Call{"_c10d_functional.broadcast.default", {self, src, members.name}};
  });
}

Tensor all_reduce(const Tensor &self, const ReduceOp &reduceOp, const GroupLike &group, llvm::StringRef tag) {
  return launch({"all_reduce", group, tag, &reduceOp}, [&](const CallGroup &members) {
    return Call{"_c10d_functional.all_reduce.default", {premultiplied(self, reduceOp), reduceOp.name(), members.name}};
  });
}

Tensor all_gather_tensor(const Tensor &self, int64_t gather_dim, const GroupLike &group, llvm::StringRef tag) {
  return gather("_c10d_functional.all_gather_into_tensor.default", self, gather_dim, {"all_gather_tensor", group, tag});
}

Tensor all_gather_tensor_autograd(const Tensor &self, int64_t gather_dim, const GroupLike &group, llvm::StringRef tag) {
  return gather("_c10d_functional_autograd.all_gather_into_tensor.default", self, gather_dim,
                {"all_gather_tensor_autograd", group, tag});
}

Tensor reduce_scatter_tensor(const Tensor &self, const ReduceOp &reduceOp, int64_t scatter_dim, const GroupLike &group,
                             llvm::StringRef tag) {
  return scatter("_c10d_functional.reduce_scatter_tensor.default", {self, reduceOp, scatter_dim},
                 {"reduce_scatter_tensor", group, tag, &reduceOp});
}

Tensor reduce_scatter_tensor_autograd(const Tensor &self, const ReduceOp &reduceOp, int64_t scatter_dim,
                                      const GroupLike &group, llvm::StringRef tag) {
  return scatter("_c10d_functional_autograd.reduce_scatter_tensor.default", {self, reduceOp, scatter_dim},
                 {"reduce_scatter_tensor_autograd", group, tag, &reduceOp});
}

TensorList all_reduce_coalesced(const std::vector<Tensor> &self, const ReduceOp &reduceOp, const GroupLike &group,
                                llvm::StringRef tag) {
  std::vector<Tensor> inputs;
  for (const Tensor &tensor : self)
    inputs.push_back(premultiplied(tensor, reduceOp));
  return launchList({"all_reduce_coalesced", group, tag, &reduceOp}, [&](const CallGroup &members) {
    return Call{"_c10d_functional.all_reduce_coalesced.default", {inputs, reduceOp.name(), members.name}};
  });
}

TensorList all_gather_into_tensor_coalesced(const std::vector<Tensor> &self, const GroupLike &group,
                                            llvm::StringRef tag) {
  return launchList({"all_gather_into_tensor_coalesced", group, tag}, [&](const CallGroup &members) {
    return Call{"_c10d_functional.all_gather_into_tensor_coalesced.default", {self, members.size, members.name}};
  });
}

TensorList reduce_scatter_tensor_coalesced(const std::vector<Tensor> &inputs, const ReduceOp &reduceOp,
                                           const std::vector<int64_t> &scatter_dim, const GroupLike &group,
                                           llvm::StringRef tag) {
  Site site{"reduce_scatter_tensor_coalesced", group, tag, &reduceOp};
  if (scatter_dim.size() != inputs.size())
    return failedList(problem("trace.scatter-dims", site.function,
                              "got " + std::to_string(scatter_dim.size()) + " scatter dimensions for " +
                                  std::to_string(inputs.size()) + " tensors",
                              "one dimension a tensor"));
  llvm::Expected<CallGroup> expanded = expand(site);
  if (!expanded)
    return failedList(tracer::detail::firstOf(expanded.takeError()));
  std::vector<Tensor> rows;
  for (size_t index = 0; index != inputs.size(); ++index) {
    const Tensor &tensor = inputs[index];
    int64_t dim = scatter_dim[index];
    if (tensor.isValid() && tensor.size(dim) % expanded->size != 0)
      return failedList(problem("trace.scatter-dim", site.function,
                                notMultipleText(dim, tensor.size(dim), expanded->size) + " for tensor at index " +
                                    std::to_string(index)));
    rows.push_back(belowEachOther(premultiplied(tensor, reduceOp), dim, expanded->size));
  }
  return launchList(site, [&](const CallGroup &members) {
    return Call{"_c10d_functional.reduce_scatter_tensor_coalesced.default",
                {rows, reduceOp.name(), members.size, members.name}};
  });
}

Tensor all_to_all_single(const Tensor &self, const Splits &output_split_sizes, const Splits &input_split_sizes,
                         const GroupLike &group, llvm::StringRef tag) {
  return exchange("_c10d_functional.all_to_all_single.default", {self, output_split_sizes, input_split_sizes},
                  {"all_to_all_single", group, tag});
}

Tensor all_to_all_single_autograd(const Tensor &self, const Splits &output_split_sizes, const Splits &input_split_sizes,
                                  const GroupLike &group, llvm::StringRef tag) {
  return exchange("_c10d_functional_autograd.all_to_all_single.default", {self, output_split_sizes, input_split_sizes},
                  {"all_to_all_single_autograd", group, tag});
}

Tensor all_to_all_single_of_ranks(const Tensor &self, const RankSplits &sent, const GroupLike &group,
                                  llvm::StringRef tag) {
  const Site site{"all_to_all_single_of_ranks", group, tag};
  if (EagerMode *session = currentSession())
    return exchangedInSession(*session, self, sent, site);
  llvm::Expected<Place> place = placeInGroup(site);
  if (!place)
    return fail(tracer::detail::firstOf(place.takeError()));
  if (std::string wrong = wrongSplits(sent, place->size, std::nullopt); !wrong.empty())
    return fail(problem("trace.splits", site.function, wrong, splitsOfRanks));
  return all_to_all_single(self, receivedBy(sent, place->rank), sent.rows[place->rank], place->group);
}

Tensor permute_tensor(const Tensor &self, const std::vector<int64_t> &src_dst, const GroupLike &group,
                      llvm::StringRef tag) {
  if (EagerMode *session = currentSession())
    return permutedInSession(*session, self, src_dst, {"permute_tensor", group, tag});
  llvm::Expected<Place> place = placeInGroup({"permute_tensor", group, tag});
  if (!place)
    return fail(tracer::detail::firstOf(place.takeError()));
  if (std::string wrong = wrongPermutation(src_dst, place->size); !wrong.empty())
    return fail(problem("trace.permutation", "permute_tensor", wrong));
  std::vector<int64_t> output(place->size), input(place->size);
  for (size_t source = 0; source != src_dst.size(); ++source) {
    auto destination = static_cast<size_t>(src_dst[source]);
    if (source == place->rank)
      input[destination] = self.numel();
    if (destination == place->rank)
      output[source] = self.numel();
  }
  return all_to_all_single(self, output, input, place->group);
}

} // namespace ccgraph::collectives
// NOLINTEND(readability-identifier-naming)
