#include "ccgraph/passes/cost.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/work.h"
#include "cost/arithmetic.h"
#include "cost/calibration.h"
#include "cost/collective_time.h"
#include "cost/fusion_regions.h"
#include "cost/given_durations.h"
#include "cost/host_reads.h"
#include "cost/measured_collectives.h"
#include "cost/placements.h"
#include "cost/roofline.h"
#include "cost/tiles.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PointerIntPair.h"

#include <limits>

namespace ccgraph {

llvm::StringRef timeSourceName(TimeSource source) {
  switch (source) {
  case TimeSource::Free:
    return "free";
  case TimeSource::Measured:
    return "measured";
  case TimeSource::Estimated:
    return "estimated";
  case TimeSource::Interpolated:
    return "interpolated";
  case TimeSource::Predicted:
    return "predicted";
  case TimeSource::Unknown:
    return "unknown";
  }
  llvm_unreachable("no such source");
}

namespace {

constexpr double picosecondsPerMicrosecond = 1e6;
constexpr size_t numKinds = static_cast<size_t>(CollectiveKind::Barrier) + 1;
/// With fewer samples of a kind, the ratio may be chance, and the factor of all kinds of the level is used.
constexpr size_t fewestOfAKind = 4;

/// Returns the larger of the bytes sent and received; empty if a size is unknown.
std::optional<int64_t> messageBytes(const Node &collective) {
  const auto in = inputBytes(collective);
  const auto out = outputBytes(collective);
  if (!in || !out)
    return std::nullopt;
  return std::max(*in, *out);
}

bool isCollective(const Node &node) { return node.op() && node.op()->collective.has_value(); }

/// Takes the place of the id of a node that was erased.
constexpr uint32_t noNode = std::numeric_limits<uint32_t>::max();

/// Returns true for a node that runs nothing, on any machine.
bool isFree(const Node &node) {
  if (node.opcode() != Opcode::CallFunction || !node.op())
    return true;
  return node.op()->isView || node.op()->role == OpRole::Wait || node.op()->role == OpRole::GetItem;
}

/// Returns the number of elements of the node's first result; empty if it is unknown.
std::optional<int64_t> numResultElements(const Node &node) {
  const Type *type = node.type();
  while (type && type->isList() && !type->elements().empty())
    type = type->elements().front();
  return type && type->isTensor() ? type->numElements() : std::nullopt;
}

/// Returns 0 if the number is unknown, or if there is no operand.
int64_t numInputElements(const Node &node) {
  return node.numOperands() == 0 ? 0 : numResultElements(*node.operand(0)).value_or(0);
}

} // namespace

// The model is constructed in three steps: the machine's prediction for each node that has a duration; the factors
// between the two; and the cost of each node of the graph. That cost is its duration, else the scaled prediction.
struct CostModel::Impl {
  Impl(const Graph &graph, const Machine &machine, RankView view)
      : graph(&graph), machine(machine), placements(graph, machine, view), regions(graph) {}

  // --- Predictions, not scaled, in picoseconds ----------------------------------------------------------------------

  double predictCollective(CollectiveKind kind, int64_t bytes, Placement placement) const {
    return collectiveMicroseconds(machine, {kind, bytes, placement}) * picosecondsPerMicrosecond;
  }

  /// Predicts the time of a node. A node of a fused kernel takes the time of the kernel's bytes that are charged to it;
  /// any other node is a kernel of its own. Operations count only where matrix units perform them: other operations are
  /// as fast as memory.
  std::optional<RooflineTime> predictCompute(const Node &node) const {
    if (regions.regionOf(node) != FusionRegions::noRegion) {
      const auto bytes = regions.bytesOf(node);
      return bytes ? std::optional(RooflineTime{memoryPicoseconds(machine, *bytes), false}) : std::nullopt;
    }
    auto work = node.op()->work ? node.op()->work(node) : std::nullopt;
    if (!work)
      return std::nullopt;
    if (!isProduct(workFamily(*node.op())))
      work->flops = 0;
    return rooflineOf(machine, *work, arithmeticDType(node));
  }

  /// Returns whether the node starts a kernel; in a fused kernel this is the first node.
  bool isLaunched(const Node &node) const {
    return regions.regionOf(node) == FusionRegions::noRegion || regions.isFirst(node);
  }

  // --- Scaled costs -------------------------------------------------------------------------------------------------

  double scaledCollective(CollectiveKind kind, int64_t bytes, Placement placement) const {
    const auto level = static_cast<size_t>(placement.level());
    const Scale &own = kindScales[level][static_cast<size_t>(kind)];
    const double factor = own.nodes >= fewestOfAKind ? own.factor : summary.links[level].factor;
    return predictCollective(kind, bytes, placement) * factor;
  }

  double scaledCompute(const RooflineTime &time) const {
    const Scale &scale = time.boundByOperations ? summary.operations : summary.memory;
    return time.picoseconds * scale.factor;
  }

  double launch() const { return static_cast<double>(machine.processor.launchPs); }

  /// Returns the time for which the stream is empty because the host reads the node's result.
  int64_t stall(const Node &node) const { return machine.hostReadsStall && readsOnHost(node) ? machine.hostReadPs : 0; }

  EstimatedTime collectivePrice(const CollectiveShape &shape) const {
    const bool wasTimed = measuredMicroseconds(machine, shape).has_value();
    return {rounded(scaledCollective(shape.kind, shape.bytes, shape.placement)),
            wasTimed ? TimeSource::Interpolated : TimeSource::Predicted};
  }

  /// Returns the time of a copy to the host's memory or back: each of its bytes crosses the link once. Unknown on a
  /// machine without a link, and for a tensor of unknown size.
  EstimatedTime hostCopyPrice(const Node &copy) const {
    const std::optional<int64_t> bytes = copy.type() ? copy.type()->numBytes() : std::nullopt;
    if (!machine.hostLink.exists() || !bytes)
      return {machine.processor.launchPs, TimeSource::Unknown};
    return {hostCopy(*bytes), TimeSource::Predicted};
  }

  int64_t hostCopy(int64_t bytes) const {
    constexpr double picosecondsPerSecond = 1e12;
    const double rate = static_cast<double>(machine.hostLink.bytesPerSecond);
    return machine.hostLink.latencyPs + rounded(static_cast<double>(bytes) * picosecondsPerSecond / rate);
  }

  /// A product of two matrices, of which a pass may compute parts.
  struct Product {
    ProductSizes sizes;
    int64_t picoseconds = 0;
  };

  /// Returns the time of a part of a known product, with a launch.
  double partOfProduct(const ProductSizes &part, const Product &whole) const {
    return launch() + shareOfProduct(machine, part, whole.sizes) * static_cast<double>(whole.picoseconds);
  }

  /// Returns null for a node that is no known product.
  const Product *productOf(const Node &node) const {
    const auto product = products.find(node.id());
    return product == products.end() ? nullptr : &product->second;
  }

  /// Returns the known product that a later product is a part of; null if it names none as its only origin.
  const Product *wholeOf(const Node &node, const ProductSizes &part) const {
    const llvm::ArrayRef<Identifier> origins = node.provenance().origins;
    const auto named = origins.size() == 1 ? productsByName.find(origins[0]) : productsByName.end();
    if (named == productsByName.end())
      return nullptr;
    const ProductSizes &whole = named->second.sizes;
    const bool isPart = whole.columns == part.columns || (whole.rows == part.rows && part.columns < whole.columns);
    return whole.inner == part.inner && isPart ? &named->second : nullptr;
  }

  /// A node that a compiler may fuse, of which a pass may compute parts.
  struct Fusible {
    uint32_t id = 0;
    const OpDef *op = nullptr;
    int64_t elements = 0; ///< of its first result
    int64_t inputs = 0;   ///< elements of its first operand; 0: unknown, or it has none
    EstimatedTime price;
  };

  /// Returns the share of a known node that a later call of the same operator computes: its share of the elements, and
  /// if it has as many, that of the elements which it reads, as a total of some rows.
  static double shareOf(const Node &node, int64_t elements, const Fusible &whole) {
    const int64_t inputs = numInputElements(node);
    const bool isTotal = elements == whole.elements && inputs > 0 && inputs < whole.inputs;
    return isTotal ? static_cast<double>(inputs) / static_cast<double>(whole.inputs)
                   : static_cast<double>(elements) / static_cast<double>(whole.elements);
  }

  /// Returns true if the graph has both the later node and the known one, which it repeats.
  bool isRepetition(const Node &node, const Fusible &whole) const {
    const Node *original = graph->find(node.provenance().origins[0].str());
    return original && original->id() == whole.id;
  }

  /// Returns the time of a later node that computes a part of a known node which may be fused: its share of that
  /// node's time, and a launch if it is less than all of a node that takes time, or repeats it. Empty unless it calls
  /// the operator of its first origin, for at most as many elements. Empty too if it repeats a node whose time is only
  /// a share of a fused kernel's, because the repetition is a kernel of its own.
  std::optional<double> partOfFusible(const Node &node) const {
    const llvm::ArrayRef<Identifier> origins = node.provenance().origins;
    const auto whole = origins.empty() ? fusibleByName.end() : fusibleByName.find(origins[0]);
    const std::optional<int64_t> elements = numResultElements(node);
    if (whole == fusibleByName.end() || !elements || *elements > whole->second.elements ||
        whole->second.op != node.op())
      return std::nullopt;
    const auto time = static_cast<double>(whole->second.price.picoseconds);
    const double share = shareOf(node, *elements, whole->second);
    if (share == 1 && isRepetition(node, whole->second))
      return whole->second.price.isGiven() && time > 0 ? std::optional(time + launch()) : std::nullopt;
    return time == 0 || share == 1 ? time : time * share + launch();
  }

  EstimatedTime predictedLater(const Node &node) {
    const auto part = productSizes(node);
    if (const Product *whole = part ? wholeOf(node, *part) : nullptr)
      return {rounded(partOfProduct(*part, *whole)), TimeSource::Predicted};
    if (const std::optional<double> time = partOfFusible(node))
      return {rounded(*time), TimeSource::Predicted};
    return predicted(node);
  }

  EstimatedTime predicted(const Node &node) {
    if (isHostCopy(node))
      return hostCopyPrice(node);
    if (isCollective(node)) {
      const auto bytes = messageBytes(node);
      if (bytes)
        return collectivePrice({node.op()->collective->kind, *bytes, placements.of(node)});
    } else if (const auto time = predictCompute(node)) {
      const bool isFused = regions.regionOf(node) != FusionRegions::noRegion;
      if (time->picoseconds == 0 && !isFused && stall(node) == 0)
        return {};
      return {rounded(scaledCompute(*time) + (isLaunched(node) ? launch() : 0)) + stall(node), TimeSource::Predicted};
    }
    return {machine.processor.launchPs + stall(node), TimeSource::Unknown};
  }

  // --- Construction -------------------------------------------------------------------------------------------------

  /// The samples, by part of the machine.
  struct Samples {
    RatioSamples operations;
    RatioSamples copies;
    RatioSamples memory;
    std::array<RatioSamples, numLinkLevels> links;
    std::array<std::array<RatioSamples, numKinds>, numLinkLevels> kinds;
  };

  void compare(const Node &node, double measured, Samples &samples) {
    if (isCollective(node)) {
      const Placement placement = placements.of(node);
      const CollectiveKind kind = node.op()->collective->kind;
      const auto level = static_cast<size_t>(placement.level());
      if (const auto bytes = messageBytes(node)) {
        const double predictedTime = predictCollective(kind, *bytes, placement);
        samples.links[level].add(predictedTime, measured);
        samples.kinds[level][static_cast<size_t>(kind)].add(predictedTime, measured);
      }
    } else if (isHostCopy(node)) {
      return; // its time says nothing about memory or operations
    } else if (const auto time = predictCompute(node)) {
      const double work = measured - (isLaunched(node) ? launch() : 0);
      (time->boundByOperations ? samples.operations : samples.memory).add(time->picoseconds, work);
      if (!time->boundByOperations && regions.isAlone(node) && node.op()->movesBytes)
        samples.copies.add(time->picoseconds, work);
    }
  }

  // Copies that are separate kernels are the most reliable measure of memory, since the operators of a fused kernel are
  // a guess. The other kernels are used only if there are no such copies.
  void calibrate(const Graph &graph, const GivenDurations &given) {
    Samples samples;
    for (const Node *node : graph)
      if (const auto duration = given.of(*node); duration && !isFree(*node))
        compare(*node, static_cast<double>(duration->picoseconds), samples);
    summary.operations = samples.operations.scale();
    summary.memory = (samples.copies.empty() ? samples.memory : samples.copies).scale();
    for (size_t level = 0; level < numLinkLevels; ++level) {
      summary.links[level] = samples.links[level].scale();
      for (size_t kind = 0; kind < numKinds; ++kind)
        kindScales[level][kind] = samples.kinds[level][kind].scale();
    }
  }

  void priceAll(const Graph &graph, const GivenDurations &given) {
    known.resize(graph.idLimit());
    for (const Node *node : graph) {
      EstimatedTime price;
      if (const auto duration = given.of(*node))
        price = {duration->picoseconds,
                 duration->source == DurationSource::Measured ? TimeSource::Measured : TimeSource::Estimated};
      else if (!isFree(*node))
        price = predicted(*node);
      known[node->id()] = Known(price, node->op());
      const auto source = static_cast<size_t>(price.source);
      if (const auto sizes = productSizes(*node)) {
        const Product product{*sizes, price.picoseconds};
        products.try_emplace(node->id(), product);
        productsByName.try_emplace(node->name(), product);
      }
      noteFusible(*node, price);
      ++summary.nodes[source];
      summary.picoseconds[source] += price.picoseconds;
    }
    summary.assumedGroups = placements.assumed().vec();
  }

  /// Gives the costs of the graph's nodes to those of a copy of it, which has the same nodes in the same order.
  void renumber(const Graph &original, const Graph &copy) {
    std::vector<Known> costs(copy.idLimit());
    llvm::DenseMap<uint32_t, Product> parts;
    std::vector<uint32_t> idInCopy(original.idLimit(), noNode);
    auto copied = copy.begin();
    for (const Node *node : original) {
      const Node *twin = *copied;
      ++copied;
      idInCopy[node->id()] = twin->id();
      costs[twin->id()] = Known(costOf(*node), node->op());
      if (const auto own = products.find(node->id()); own != products.end())
        parts.try_emplace(twin->id(), own->second);
    }
    // A node that is gone has no number, also in a copy of a copy.
    for (auto &entry : fusibleByName)
      entry.second.id = entry.second.id < idInCopy.size() ? idInCopy[entry.second.id] : noNode;
    graph = &copy;
    known = std::move(costs);
    products = std::move(parts);
    regions = FusionRegions(copy);
  }

  void keepCosts(const Graph &edited) {
    std::vector<Known> costs(edited.idLimit());
    for (const Node *node : edited)
      costs[node->id()] = Known(costOf(*node), node->op());
    known = std::move(costs);
  }

  void noteFusible(const Node &node, const EstimatedTime &price) {
    if (node.op() && isFusible(workFamily(*node.op())))
      if (const std::optional<int64_t> elements = numResultElements(node))
        fusibleByName.try_emplace(node.name(), Fusible{node.id(), node.op(), *elements, numInputElements(node), price});
  }

  EstimatedTime costOf(const Node &node) {
    const bool isKnown = node.id() < known.size() && known[node.id()].op() == node.op();
    return isKnown ? known[node.id()].price() : costOfLater(node);
  }

  EstimatedTime costOfLater(const Node &node) { return isFree(node) ? EstimatedTime() : predictedLater(node); }

  /// The cost of a node that the graph had at construction. The operator is stored because a pass may give a node
  /// another one. Sixteen bytes, because there is one for each node.
  class Known {
  public:
    Known() = default;
    Known(EstimatedTime price, const OpDef *op) : picoseconds_(price.picoseconds), opAndSource_(op, price.source) {}
    [[nodiscard]] EstimatedTime price() const { return {picoseconds_, opAndSource_.getInt()}; }
    [[nodiscard]] const OpDef *op() const { return opAndSource_.getPointer(); }

  private:
    static constexpr unsigned sourceBits = 3;
    static_assert(numTimeSources <= 1U << sourceBits);
    int64_t picoseconds_ = 0;
    llvm::PointerIntPair<const OpDef *, sourceBits, TimeSource> opAndSource_;
  };

  const Graph *graph; ///< may be edited meanwhile
  Machine machine;
  Placements placements;
  FusionRegions regions;
  CostSummary summary;
  /// by level and kind
  std::array<std::array<Scale, numKinds>, numLinkLevels> kindScales;
  /// by node id
  std::vector<Known> known;
  // The nodes that the graph had at construction, of which a pass may compute parts. No output follows their order.
  llvm::DenseMap<uint32_t, Product> products; ///< by node id
  llvm::DenseMap<Identifier, Product> productsByName;
  llvm::DenseMap<Identifier, Fusible> fusibleByName;
};

CostModel::CostModel(const Graph &graph, const Machine &machine, const Durations *durations, RankView view)
    : impl_(std::make_unique<Impl>(graph, machine, view)) {
  impl_->summary.machine = machine.name;
  if (durations)
    impl_->summary.durations = durations->origin;
  const GivenDurations given(graph, durations);
  impl_->calibrate(graph, given);
  impl_->priceAll(graph, given);
}

CostModel::~CostModel() = default;

EstimatedTime CostModel::estimatedTime(const Node &node) const { return impl_->costOf(node); }

void CostModel::keepCosts(const Graph &graph) { impl_->keepCosts(graph); }

CostModel::CostModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::unique_ptr<CostModel> CostModel::forCopy(const Graph &graph, const Graph &copy) const {
  auto impl = std::make_unique<Impl>(*impl_);
  impl->renumber(graph, copy);
  return std::unique_ptr<CostModel>(new CostModel(std::move(impl)));
}

int64_t CostModel::rowsOfProduct(const Node &product, int64_t rows) const {
  const Impl::Product *whole = impl_->productOf(product);
  return whole ? rounded(impl_->partOfProduct({rows, whole->sizes.inner, whole->sizes.columns}, *whole)) : 0;
}

int64_t CostModel::columnsOfProduct(const Node &product, int64_t columns) const {
  const Impl::Product *whole = impl_->productOf(product);
  return whole ? rounded(impl_->partOfProduct({whole->sizes.rows, whole->sizes.inner, columns}, *whole)) : 0;
}

int64_t CostModel::collective(CollectiveKind kind, int64_t bytes, Placement placement) const {
  return rounded(impl_->scaledCollective(kind, bytes, placement));
}

int64_t CostModel::collective(const Node &like, int64_t bytes) const {
  return collective(like.op()->collective->kind, bytes, placementOf(like));
}

std::vector<int64_t> CostModel::collectivePieces(const Node &like) const {
  return collectiveTimePieces(machine(), {like.op()->collective->kind, 0, placementOf(like)});
}

int64_t CostModel::hostCopy(int64_t bytes) const {
  assert(machine().hostLink.exists());
  return impl_->hostCopy(bytes);
}

int64_t CostModel::copy(int64_t bytesReadAndWritten) const {
  return rounded(impl_->scaledCompute({memoryPicoseconds(machine(), static_cast<double>(bytesReadAndWritten)), false}) +
                 impl_->launch());
}

std::optional<uint32_t> CostModel::kernelOf(const Node &node) const {
  const uint32_t region = impl_->regions.regionOf(node);
  return region == FusionRegions::noRegion ? std::nullopt : std::optional(region);
}

Placement CostModel::placementOf(const Node &collective) const { return impl_->placements.of(collective); }

const Machine &CostModel::machine() const { return impl_->machine; }

const CostSummary &CostModel::summary() const { return impl_->summary; }

} // namespace ccgraph
