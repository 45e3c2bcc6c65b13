#include "simplify/hierarchy/stages.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/int_list.h"
#include "rewrite/supersede.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace ccgraph {

namespace {

using enum CollectiveKind;
using Kind = Stage::Kind;

constexpr Stage allReduceStages[] = {
    {Kind::ExchangeInside, ReduceScatter}, {Kind::ExchangeAcross, AllReduce}, {Kind::ExchangeInside, AllGather}};
constexpr Stage gatherInsideFirst[] = {{Kind::ExchangeInside, AllGather}, {Kind::ExchangeAcross, AllGather}};
constexpr Stage gatherAcrossFirst[] = {
    {Kind::ExchangeAcross, AllGather}, {Kind::ExchangeInside, AllGather}, {Kind::ToOrderOfNodes}};
constexpr Stage scatterAcrossFirst[] = {{Kind::ExchangeAcross, ReduceScatter}, {Kind::ExchangeInside, ReduceScatter}};
constexpr Stage scatterInsideFirst[] = {
    {Kind::ToOrderOfPlaces}, {Kind::ExchangeInside, ReduceScatter}, {Kind::ExchangeAcross, ReduceScatter}};
constexpr Stage allToAllStages[] = {{Kind::ToOrderOfPlaces},
                                    {Kind::ExchangeInside, AllToAll},
                                    {Kind::ToOrderOfNodes},
                                    {Kind::ExchangeAcross, AllToAll}};

using Form = llvm::ArrayRef<Stage>;

std::vector<Form> formsOf(CollectiveKind kind) {
  switch (kind) {
  case AllReduce:
    return {allReduceStages};
  case AllGather:
    return {gatherInsideFirst, gatherAcrossFirst};
  case ReduceScatter:
    return {scatterAcrossFirst, scatterInsideFirst};
  case AllToAll:
    return {allToAllStages};
  case Broadcast:
  case Scatter:
  case Send:
  case Recv:
  case BatchP2P:
  case ShardDimAllToAll:
  case Barrier:
    return {};
  }
  llvm_unreachable("no such kind");
}

int64_t ranksOf(const Stage &stage, const NodeGroups &groups) {
  return stage.kind == Kind::ExchangeInside ? groups.ranksOnNode : groups.nodes;
}

int64_t bytesAfter(const Stage &stage, const NodeGroups &groups, int64_t bytes) {
  if (!stage.isExchange())
    return bytes;
  if (stage.collective == AllGather)
    return bytes * ranksOf(stage, groups);
  return stage.collective == ReduceScatter ? bytes / ranksOf(stage, groups) : bytes;
}

/// Returns the predicted time of an exchange with these bytes. The groups across the nodes, one for each place, run at
/// the same time. NCCL's rules give each rank a link of its own across nodes, and a ring of all ranks uses all links of
/// a node (docs/cost-model.md). The other rules give such a ring one link, so for them the rings across share one link.
int64_t exchangeTime(const Stage &stage, const NodeGroups &groups, int64_t bytes, const CostModel &cost) {
  const bool isInside = stage.kind == Kind::ExchangeInside;
  const bool sharesLink = !isInside && stage.collective != AllToAll && cost.machine().rules != CollectiveRules::Nccl;
  return cost.collective(stage.collective, sharesLink ? bytes * groups.ranksOnNode : bytes,
                         {ranksOf(stage, groups), isInside ? 1 : groups.nodes});
}

/// While a stage runs, its input and its result live, and so does the input of the collective, to its last wait.
StagedForm estimate(Form form, const Candidate &candidate, const NodeGroups &groups, const CostModel &cost) {
  StagedForm staged{form};
  int64_t bytes = candidate.inputBytes, held = 0, most = 0;
  for (const Stage &stage : form) {
    const int64_t result = bytesAfter(stage, groups, bytes);
    staged.picoseconds +=
        stage.isExchange() ? exchangeTime(stage, groups, std::max(bytes, result), cost) : cost.copy(bytes + result);
    most = std::max(most, held + result);
    bytes = held = result;
  }
  staged.extraBytes = std::max<int64_t>(0, most - candidate.outputBytes);
  return staged;
}

class Builder {
public:
  Builder(Graph &graph, const StagedCall &call) : call_(call), build_(graph, call.candidate.launch), value_(nullptr) {
    build_.standFor({call.candidate.launch});
  }

  BuiltStages run() {
    value_ = call_.candidate.launch->operand(0);
    beginFlat();
    for (const Stage &stage : call_.form.stages)
      add(stage);
    build_.setPosition(call_.candidate.wait);
    build_.standFor({call_.candidate.wait});
    wait();
    if (const Stage &last = call_.form.stages.back(); !last.isExchange())
      reorder(last.kind);
    if (value_->type() != call_.candidate.launch->type())
      view(*staticDims(call_.candidate.launch->type()->sizes()));
    built_.result = value_;
    llvm::copy_if(build_.made(), std::back_inserter(built_.others), [&](Node *node) { return node != value_; });
    return std::move(built_);
  }

private:
  const Node &launch() const { return *call_.candidate.launch; }
  void view(llvm::ArrayRef<int64_t> sizes) { value_ = build_.call("aten.view.default", {value_, sizes}); }

  /// A reduce_scatter inside the node needs rows that its ranks divide.
  void beginFlat() {
    const Stage &first = call_.form.stages.front();
    llvm::ArrayRef<Dim> sizes = value_->type()->sizes();
    const bool scatters = first.isExchange() && first.collective == ReduceScatter;
    if (scatters && (sizes.empty() || sizes[0].value() % ranksOf(first, call_.groups) != 0))
      view({*value_->type()->numElements()});
  }

  void wait() {
    if (isInFlight_)
      value_ = waitLike(build_, value_, *call_.candidate.wait);
    isInFlight_ = false;
  }

  void add(const Stage &stage) {
    if (stage.isExchange()) {
      wait();
      exchange(stage);
    } else if (&stage != &call_.form.stages.back()) {
      wait();
      reorder(stage.kind);
    }
  }

  void exchange(const Stage &stage) {
    const int64_t ranks = ranksOf(stage, call_.groups);
    const std::string &group = stage.kind == Kind::ExchangeInside ? call_.inside : call_.across;
    std::vector<Actual> args = {value_};
    if (stage.collective == AllReduce || stage.collective == ReduceScatter)
      args.push_back(Actual::copyOf(launch(), launch().args()[1]));
    if (stage.collective == AllGather || stage.collective == ReduceScatter)
      args.emplace_back(ranks);
    if (stage.collective == AllToAll) {
      std::vector<int64_t> splits(static_cast<size_t>(ranks), value_->type()->sizes()[0].value() / ranks);
      args.insert(args.end(), {Actual(splits), Actual(splits)});
    }
    args.emplace_back(group);
    value_ = build_.call(formOf(stage.collective, CollectiveForm::Single), std::move(args));
    built_.launches.push_back(value_);
    isInFlight_ = true;
  }

  /// Copies the pieces of all ranks from one order to the other.
  void reorder(Kind kind) {
    const int64_t nodes = call_.groups.nodes, places = call_.groups.ranksOnNode;
    const int64_t elements = *value_->type()->numElements() / (nodes * places);
    const IntList sizes = *staticDims(value_->type()->sizes());
    view(kind == Kind::ToOrderOfPlaces ? IntList{nodes, places, elements} : IntList{places, nodes, elements});
    value_ = build_.call("aten.permute.default", {value_, llvm::ArrayRef<int64_t>({1, 0, 2})});
    value_ = build_.call(
        {.target = "aten.clone.default",
         .args = {value_},
         .kwargs = {{"memory_format", Actual::memoryFormat(build_.graph().context(), "contiguous_format")}}});
    view(sizes);
  }

  const StagedCall &call_;
  GraphBuilder build_;
  Node *value_;
  bool isInFlight_ = false;
  BuiltStages built_;
};

} // namespace

std::string StagedForm::text() const {
  std::string text;
  for (const Stage &stage : stages) {
    if (!stage.isExchange())
      continue;
    text += (text.empty() ? "" : ", ") + collectiveName(stage.collective).str();
    text += stage.kind == Stage::Kind::ExchangeInside ? " inside" : " across";
  }
  return text;
}

std::optional<StagedForm> fastestForm(const Candidate &candidate, const NodeGroups &groups, const CostModel &cost) {
  std::optional<StagedForm> best;
  for (Form form : formsOf(collectiveOf(*candidate.launch)->kind)) {
    StagedForm staged = estimate(form, candidate, groups, cost);
    if (!best || staged.picoseconds < best->picoseconds)
      best = staged;
  }
  return best;
}

BuiltStages buildStages(Graph &graph, const StagedCall &call) { return Builder(graph, call).run(); }

} // namespace ccgraph
