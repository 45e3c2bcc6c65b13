#include "mesh.h"
#include "placed_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::placements {
namespace {

class CollectivePlacer {
public:
  explicit CollectivePlacer(PlacedCall &call) : call_(call), node_(call.node()) {}

  Held place() {
    std::optional<CollectiveCall> launch = collectiveCall(node_);
    std::optional<std::vector<size_t>> axes = launch ? axesOf(*launch) : std::nullopt;
    if (!axes) {
      if (call_.problem().empty())
        call_.reject("the ranks of its group are no axes of the mesh");
      return result(launch, [&](const Held &) { return call_.undecided(); });
    }
    axes_ = *axes;
    launch_ = &*launch;
    return result(launch, [&](const Held &input) { return placeOne(input); });
  }

private:
  template <class Place>
  Held result(const std::optional<CollectiveCall> &launch, Place placeOne) {
    std::vector<Held> outputs;
    if (launch)
      for (const Node *input : launch->inputs) {
        input_ = input;
        Held held = call_.state().held[input->id()];
        outputs.push_back(placeOne(held));
      }
    if (!launch || (!launch->spec->coalesced && outputs.size() == 1))
      return outputs.empty() ? call_.undecided() : outputs.front();
    Held list;
    list.axes.resize(call_.numAxes());
    list.elements = std::move(outputs);
    return list;
  }

  std::optional<std::vector<size_t>> axesOf(const CollectiveCall &launch) {
    std::optional<std::vector<size_t>> axes;
    for (size_t rank = 0; rank != call_.byRank().size(); ++rank) {
      const auto &program = call_.state().question->ranks[rank];
      std::optional<CollectiveCall> own;
      const CollectiveCall *mine = &launch;
      if (call_.byRank()[rank] != &node_) {
        own = collectiveCall(*call_.byRank()[rank]);
        mine = own ? &*own : mine;
      }
      const Group *group = program.groups.find(mine->group);
      llvm::ArrayRef<int64_t> members = mine->ranks;
      if (group)
        members = group->members(static_cast<int64_t>(rank));
      if (members.empty()) {
        call_.reject("the ranks of group '" + mine->group + "' are not known");
        return std::nullopt;
      }
      auto spanned = axesOfMembers(members, static_cast<int64_t>(rank), call_.state().mesh());
      if (!spanned || (axes && *axes != *spanned))
        return std::nullopt;
      axes = spanned;
    }
    return axes;
  }

  Held placeOne(const Held &input) {
    switch (launch_->spec->kind) {
    case CollectiveKind::AllReduce:
      return reduced(input);
    case CollectiveKind::AllGather:
      return gathered(input);
    case CollectiveKind::ReduceScatter:
      return scattered(input);
    case CollectiveKind::AllToAll:
      return exchanged(input);
    case CollectiveKind::Broadcast:
      return broadcast(input);
    case CollectiveKind::ShardDimAllToAll:
      return moved(input);
    default:
      return call_.undecided();
    }
  }

  [[nodiscard]] std::string inputName() const { return input_->name().str().str(); }
  [[nodiscard]] std::string axesText() const {
    std::string text;
    for (size_t axis : axes_)
      text += (text.empty() ? "" : " and ") + call_.axisName(axis);
    return text;
  }

  /// Checks that a reduction reads what it should, and reports once.
  void checkReduction(const Held &input) {
    if (axes_.empty() || input.isUniform)
      return;
    std::optional<ReduceOp> op = parseReduceOp(launch_->reduceOp);
    for (size_t axis : axes_) {
      const Hold &hold = input.axes[axis];
      if (hold.kind == HoldKind::Partial && hold.reduction == ReduceOp::Sum && op && *op != ReduceOp::Sum &&
          *op != ReduceOp::Avg)
        return void(call_.report({FindingKind::WrongReduction, axis, hold.origin,
                                  inputName() + " is a partial sum over " + call_.axisName(axis) +
                                      ", and this reduces it by " + launch_->reduceOp,
                                  "reduce it by sum"}));
      if (hold.kind == HoldKind::Partial && hold.reduction != ReduceOp::Sum && op && *op != hold.reduction)
        call_.assume(node_.name().str() + " reduces a partial " + reduceOpName(hold.reduction) + " over " +
                     call_.axisName(axis) + " by " + launch_->reduceOp +
                     ": equal on all ranks, no value of one device");
      if (hold.kind == HoldKind::Partial && hold.addition && op == ReduceOp::Sum)
        return void(
            call_.report({FindingKind::AddedOnEveryRank, axis, hold.addition,
                          hold.addition->name().str().str() +
                              " adds a value that is equal on all ranks to a partial sum over " + call_.axisName(axis) +
                              ", and this adds it up " + std::to_string(call_.state().sizeOf(axis)) + " times",
                          "add it after this reduction"}));
    }
    const bool isEqual = llvm::all_of(axes_, [&](size_t axis) {
      const Hold &hold = input.axes[axis];
      return hold.kind == HoldKind::Replicated && !hold.isShare && !hold.assumed;
    });
    if (isEqual)
      call_.report({FindingKind::SuperfluousCollective, axes_.front(), input_,
                    inputName() + " is equal on all ranks of " + axesText() + " before this " +
                        collectiveName(launch_->spec->kind).str() + " (" + launch_->reduceOp + ")",
                    "remove it, or reduce over another axis"});
  }

  Held reduced(const Held &input) {
    checkReduction(input);
    Held output = input;
    for (size_t axis : axes_) {
      if (std::optional<size_t> dim = input.dimOf(axis); dim && input.localSize(*dim) > 1)
        call_.report({FindingKind::ReducedParts, axis, input_,
                      inputName() + " holds parts of dimension " + std::to_string(*dim) + " over " +
                          call_.axisName(axis) + ", and this adds different parts",
                      "gather it, or reduce over another axis"});
      output.settle(axis, {});
    }
    output.isUniform = output.isUniform && input.isZero;
    return output;
  }

  /// The parts of all ranks stand one after the other along dimension 0.
  Held gathered(const Held &input) {
    Held output = input;
    if (!input.isUniform && !axes_.empty() && llvm::all_of(axes_, [&](size_t axis) {
          return input.has(axis, HoldKind::Replicated) && !input.axes[axis].assumed;
        }))
      call_.report({FindingKind::SuperfluousCollective, axes_.front(), input_,
                    inputName() + " is equal on all ranks of " + axesText() + " before this all_gather",
                    "remove it, or gather over another axis"});
    if (output.dims.empty())
      output.dims.push_back({});
    for (size_t i = axes_.size(); i-- > 0;) {
      const size_t axis = axes_[i];
      Factor added = call_.maker().local(call_.state().sizeOf(axis));
      size_t place = 0;
      DimFactors &first = output.dims.front();
      if (std::optional<size_t> dim = output.dimOf(axis)) {
        DimFactors &cut = output.dims[*dim];
        size_t at = placeOf(cut, axis);
        // The parts then stand where the axis cut the tensor.
        const bool staysInPlace =
            *dim == 0 && llvm::none_of(llvm::ArrayRef<Factor>(cut).take_front(at), [](auto &f) { return f.isLocal(); });
        remember(added, cut, at);
        added.wasAxis = !staysInPlace;
        place = staysInPlace ? at : 0;
      }
      output.settle(axis, {});
      first.insert(first.begin() + static_cast<std::ptrdiff_t>(place), added);
    }
    return output;
  }

  /// Notes what followed an axis that becomes a local factor.
  static void remember(Factor &local, const DimFactors &cut, size_t at) {
    local.follower = at + 1 < cut.size() ? cut[at + 1].id : 0;
    local.former = cut[at].follower;
    local.wasAxis = true;
  }

  static size_t placeOf(const DimFactors &factors, size_t axis) {
    return static_cast<size_t>(
        llvm::find_if(factors, [&](const Factor &factor) { return factor.axis == static_cast<int>(axis); }) -
        factors.begin());
  }

  /// Takes the major local part of dimension 0 away, one for each rank of the axis; returns what followed it. `place`
  /// is where it was.
  std::optional<Factor> takeMajor(Held &held, size_t axis, size_t &place) {
    if (held.dims.empty())
      return std::nullopt;
    DimFactors &first = held.dims.front();
    const int64_t ranks = call_.state().sizeOf(axis);
    place =
        static_cast<size_t>(llvm::find_if(first, [](auto &f) { return f.isLocal() && f.size != 1; }) - first.begin());
    int64_t left = ranks;
    Factor last;
    while (left != 1) {
      if (place == first.size() || !first[place].isLocal())
        return std::nullopt;
      const int64_t size = std::min(left, first[place].size);
      if (left % size != 0 || !call_.maker().split(first, place, size))
        return std::nullopt;
      last = first[place];
      first.erase(first.begin() + static_cast<std::ptrdiff_t>(place));
      left /= size;
    }
    return last;
  }

  /// Inserts the axis in place of a local factor: before the factor that this preceded in the whole tensor. The place
  /// is certain only in the dimension that the collective cuts; of what was moved to the front before, sizes tell
  /// little.
  void insertAxis(Held &held, size_t axis, const Factor &local, size_t place) {
    const uint32_t follower = local.follower;
    Factor cut = call_.maker().cut(static_cast<int>(axis), call_.state().sizeOf(axis));
    cut.isGuess = local.isGuess || local.wasAxis || !staysInFront(held, follower);
    // Axes that cut what was moved may have come with it, and the order of those beside it is a guess too.
    if (cut.isGuess)
      guessAxes(held.dims.front());
    for (DimFactors &factors : held.dims)
      for (size_t at = 0; follower != 0 && at != factors.size(); ++at)
        if (factors[at].id == follower) {
          cut.follower = local.former != 0 ? local.former : follower;
          factors.insert(factors.begin() + static_cast<std::ptrdiff_t>(at), cut);
          held.axes[axis] = {HoldKind::Sharded};
          if (cut.isGuess)
            guessAxes(factors);
          return;
        }
    DimFactors &first = held.dims.front();
    place = std::min(place, first.size());
    first.insert(first.begin() + static_cast<std::ptrdiff_t>(place), cut);
    if (localSizeOf(first) == 1)
      first.push_back(call_.maker().local(1));
    held.axes[axis] = {HoldKind::Sharded};
  }

  /// Returns whether the elements behind a local factor of dimension 0 are in this dimension, or are none.
  static bool staysInFront(const Held &held, uint32_t follower) {
    const DimFactors &front = held.dims.front();
    return follower == 0 ? localSizeOf(front) == 1
                         : llvm::any_of(front, [&](const Factor &factor) { return factor.id == follower; });
  }

  Held scattered(const Held &input) {
    checkReduction(input);
    Held output = input;
    for (size_t axis : axes_) {
      if (std::optional<size_t> dim = input.dimOf(axis)) {
        Hold hold = input.localSize(*dim) <= 1
                        ? varyingSince(node_)
                        : call_.report({FindingKind::ReducedParts, axis, input_,
                                        inputName() + " holds parts of dimension " + std::to_string(*dim) + " over " +
                                            call_.axisName(axis) + ", and this adds different parts",
                                        "gather it, or reduce over another axis"});
        output.settle(axis, hold);
      }
      output.axes[axis] = {};
      size_t place = 0;
      std::optional<Factor> major = takeMajor(output, axis, place);
      // Where nothing is known of the operand, it may be parts of any dimension.
      if (major)
        major->isGuess |= input.has(axis, HoldKind::Undecided);
      if (major)
        insertAxis(output, axis, *major, place);
      else
        unevenRows(output, axis);
    }
    return output;
  }

  void unevenRows(Held &output, size_t axis) {
    if (std::optional<IntList> sizes = call_.resultSizes())
      output.dims = call_.maker().localDims(*sizes);
    for (size_t other = 0; other != call_.numAxes(); ++other)
      if (output.has(other, HoldKind::Sharded) && !output.dimOf(other))
        output.axes[other] = varyingSince(node_);
    output.axes[axis] = varyingSince(node_);
  }

  /// all_to_all over dimension 0: a rank sends part r to rank r, and receives one part of every rank.
  Held exchanged(const Held &input) {
    Held output = input;
    auto even = [](const std::optional<std::vector<int64_t>> &splits) {
      return !splits || llvm::all_of(*splits, [&](int64_t rows) { return rows == splits->front(); });
    };
    const bool isEven = even(launch_->inputSplits) && even(launch_->outputSplits) && axes_.size() == 1;
    for (size_t axis : axes_) {
      if (isEven && input.has(axis, HoldKind::Sharded) && !input.axes[axis].isOwn && exchange(output, axis))
        continue;
      if (!input.has(axis, HoldKind::Undecided))
        output.settle(axis, varyingSince(node_));
      if (std::optional<IntList> sizes = call_.resultSizes();
          sizes && output.dims.size() == sizes->size() && !sizes->empty() && output.localSize(0) != sizes->front())
        output.dims[0] = {call_.maker().local(sizes->front())};
    }
    output.isUniform = output.isZero = false;
    return output;
  }

  bool exchange(Held &output, size_t axis) {
    DimFactors &cut = output.dims[*output.dimOf(axis)];
    const size_t at = placeOf(cut, axis);
    Factor own = call_.maker().local(call_.state().sizeOf(axis));
    remember(own, cut, at);
    output.settle(axis, {});
    size_t place = 0;
    std::optional<Factor> major = takeMajor(output, axis, place);
    if (!major)
      return false;
    DimFactors &first = output.dims.front();
    place = std::min(place, first.size());
    first.insert(first.begin() + static_cast<std::ptrdiff_t>(place), own);
    insertAxis(output, axis, *major, place + 1);
    return true;
  }

  Held broadcast(const Held &input) {
    Held output = input;
    for (size_t axis : axes_)
      output.settle(axis, {});
    return output;
  }

  /// shard_dim_alltoall(x, gather dimension, shard dimension).
  Held moved(const Held &input) {
    Held output = input;
    const size_t rank = input.dims.size();
    if (axes_.size() != 1 || rank == 0)
      return call_.undecided();
    const size_t axis = axes_.front(), from = call_.dimension(1, rank, 0), to = call_.dimension(2, rank, 0);
    if (input.dimOf(axis) != std::optional(from)) {
      output.settle(axis, varyingSince(node_));
      if (std::optional<IntList> sizes = call_.resultSizes())
        output.dims = call_.maker().localDims(*sizes);
      return output;
    }
    DimFactors &cut = output.dims[from];
    cut[placeOf(cut, axis)] = call_.maker().local(call_.state().sizeOf(axis));
    DimFactors &target = output.dims[to];
    size_t at = static_cast<size_t>(llvm::find_if(target, [](auto &f) { return f.isLocal(); }) - target.begin());
    if (at == target.size() || !call_.maker().split(target, at, call_.state().sizeOf(axis)))
      return call_.undecided();
    target[at] = call_.maker().cut(static_cast<int>(axis), call_.state().sizeOf(axis));
    if (localSizeOf(target) == 1)
      target.push_back(call_.maker().local(1));
    return output;
  }

  PlacedCall &call_;
  const Node &node_;
  const CollectiveCall *launch_ = nullptr;
  const Node *input_ = nullptr;
  std::vector<size_t> axes_;
};

} // namespace

Held placeCollective(PlacedCall &call) { return CollectivePlacer(call).place(); }

} // namespace ccgraph::placements
