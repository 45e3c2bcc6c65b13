// chunk-collectives: a collective and the products of matrices beside it become pieces, so that the collective of one
// piece overlaps with the products of another.
//
//   g = all_gather(x); w = wait(g); p = mm(w, b)
//   ->  g_k = all_gather(rows k of x); w_k = wait(g_k); p_k = mm(w_k, b); p = the rows of all p_k together
//   p = mm(x, b); s = reduce_scatter(p); w = wait(s)        the same for all_reduce
//   ->  p_k = mm(rows k of x, b); s_k = reduce_scatter(p_k); w_k = wait(s_k); w = cat(w_k)
//   p = mm(x, b); c = cast(p); s = reduce_scatter(c); w = wait(s)
//   ->  p_k = mm(x, columns k of b); c_k = cast(p_k); s_k = reduce_scatter(c_k); w = cat(wait(s_k), 1)
//   g = all_gather(x); w = wait(g); t = transposed(w); p = mm(a, t)
//   ->  g_k = all_gather(rows k of x); w_k = wait(g_k); p_k = mm(a, transposed(w_k)); p = the columns of all p_k
//
// Collectives that follow one another through products and row functions are cut together (chunks/chunk_chain.h):
//   w = wait(reduce_scatter(mm(x, b))); n = norm(add(r, w)); q = mm(wait(all_gather(n)), c)
//   ->  the rows k of each rank's share are reduced, added, normalized, gathered and multiplied for each k
//
// If other nodes read the gathered value, it is gathered whole too: the second gather costs no computation, and may
// take place whenever the link is free.
//   may we      chunks/chunk_region.h: rows are parallel in products of matrices; the remark `not-parallel` names the
//               node that prevents a cut
//   which       chunks/chunk_choice.h: the pieces of the fastest pipeline of each region alone. With `walks`, also
//               chunks/chunk_sets.h: regions whose collective is exposed in the best schedule of the program, or
//               delays one that is, if the best schedule with their pieces is faster within the memory budget
//   do it       chunks/build_pieces.cpp, chunks/column_pieces.cpp
// Rows that are an expression of a symbol are cut too (chunks/symbolic_cut.h), and so are columns of products with such
// sizes, where the pieces are stated, or where sizes are bound to those of one batch, which have a predicted time
// (chunks/chunk_forms.h).
// Each element is computed from the same numbers, but a kernel for fewer rows may add them in another order, so
// --bitwise keeps every region whole.
#include "ccgraph/ir/int_list.h"
#include "ccgraph/passes/registry.h"
#include "schedule/chunks/chunk_forms.h"
#include "schedule/chunks/chunk_pass.h"
#include "schedule/chunks/chunk_sets.h"
#include "schedule/chunks/piece_chooser.h"
#include "schedule/chunks/symbolic_cut.h"

#include "llvm/ADT/DenseSet.h"

#include <limits>

namespace ccgraph {

std::string ChunkCollectives::repetition() const {
  return (name() + "{only=" + OptionText<NodeNames>::print({done_}) + "}").str();
}

/// One run.
class Chunker {
public:
  Chunker(ChunkCollectives &pass, Graph &graph, PassContext &context)
      : pass_(pass), graph_(graph), context_(context), facts_(graph, context), forms_(graph, context, facts_),
        chooser_(named_, {pass.pieces_.get(), pass.most_.get()}, context) {}
  llvm::Expected<Changed> run();

private:
  using Plan = ChunkPlan;
  void collect();
  void visit(Node *launch);
  void visitColumns(ChunkRegion region);
  template <typename Form>
  [[nodiscard]] std::string whyNot(const Form &form, llvm::ArrayRef<int64_t> parts) const;
  void takeSymbolic(Plan plan);
  /// Remarks, unless another collection of candidates follows.
  void note(const Reason &reason, const Node &node, RemarkArgs args = {}) {
    if (!followed_)
      context_.remark(reason, node, std::move(args));
  }
  [[nodiscard]] std::optional<ChunkObstacle> plan(ChunkRegion region);
  [[nodiscard]] const Reason &reasonOf(ChunkObstacle obstacle) const;
  [[nodiscard]] const Reason &reasonOf(const Plan &plan) const;
  [[nodiscard]] bool isTaken(const ChunkRegion &region) const;
  void take(const ChunkRegion &region);
  [[nodiscard]] bool schedulesDecide() const { return named_.empty() && pass_.walks_.get().limit != 0; }
  [[nodiscard]] const ChunkTrial *trial();
  [[nodiscard]] bool isHidden(llvm::ArrayRef<const Node *> launches);
  void visitChain(Node *launch);
  [[nodiscard]] std::string planChain(ChunkChain chain);
  [[nodiscard]] std::string planPieces(Plan plan);
  [[nodiscard]] std::string planParts(Plan plan, llvm::ArrayRef<int64_t> parts);
  void keepChains();
  [[nodiscard]] bool hasMoreThanPeak();
  void collectWithinPeak();
  void chooseBySchedule();
  void keep(const ChunkPlans &chosen);
  void state(const Plan &plan);
  void apply(const Plan &plan);
  void applyAll();

  ChunkCollectives &pass_;
  Graph &graph_;
  PassContext &context_;
  RegionFacts facts_;
  ChunkForms forms_;
  NamedPieces named_;
  PieceChooser chooser_;
  std::vector<Plan> plans_;
  std::vector<Plan> symbolic_; ///< with symbolic rows, and with stated pieces
  std::vector<Plan> chains_;   ///< instead of the plans that they overlap with
  std::optional<ChunkTrial> trial_;
  PredictedStep program_;             ///< without pieces, once there is a trial
  std::vector<Plan> plansWithinPeak_; ///< candidates that need no more memory than the graph as it stands
  std::vector<Plan> chainsWithinPeak_;
  bool followed_ = false;
  RemarkArgs args_;                    ///< of the last obstacle
  llvm::DenseSet<const Node *> taken_; ///< nodes of planned regions; looked up only
};

const Reason &Chunker::reasonOf(ChunkObstacle obstacle) const {
  const std::array<const Reason *, numChunkObstacles> reasons = {
      &pass_.spmd_,     &pass_.arguments_, &pass_.bitwise_,  &pass_.ordered_, &pass_.written_,
      &pass_.reshaped_, &pass_.opaque_,    &pass_.observed_, &pass_.type_,    &pass_.rows_,
      &pass_.budget_,   &pass_.slower_,    &pass_.hidden_};
  return *reasons[static_cast<size_t>(obstacle)];
}

bool Chunker::isTaken(const ChunkRegion &region) const {
  auto isTaken = [&](const Node *node) { return taken_.contains(node); };
  return llvm::any_of(region.products, isTaken) || llvm::any_of(region.moves, isTaken);
}

void Chunker::take(const ChunkRegion &region) {
  taken_.insert(region.products.begin(), region.products.end());
  taken_.insert(region.moves.begin(), region.moves.end());
}

/// Plans the cut of a region that may be cut; else returns why it stays whole.
std::optional<ChunkObstacle> Chunker::plan(ChunkRegion region) {
  if (region.rows < 2)
    return ChunkObstacle::FewRows;
  if (trial() && trial_->isHidden(region))
    return ChunkObstacle::Hidden;
  ChunkChoice choice = chooser_.choose(region, trial());
  if (choice.pieces.size() == 1) {
    args_ = {{"whole-ns", std::to_string(choice.whole / picosecondsOfNs)}};
    return ChunkObstacle::Slower;
  }
  const int64_t bytes = bytesOfPieces(region);
  Node *first = region.gathers() ? region.launch : region.products.front();
  Node *last = region.gathers() ? region.products.back() : region.wait;
  if (named_.empty() && !facts_.spare().hasRoom(bytes, first, last->next())) {
    args_ = {{"bytes", std::to_string(bytes)}};
    return ChunkObstacle::OverBudget;
  }
  facts_.spare().take(bytes, {first, last});
  take(region);
  plans_.push_back({std::move(region), std::move(choice)});
  return std::nullopt;
}

/// Returns the best schedule of the program; null if no schedule decides.
const ChunkTrial *Chunker::trial() {
  if (!schedulesDecide())
    return nullptr;
  if (!trial_) {
    trial_.emplace(graph_, context_, pass_.walks_.get(), pass_.beam_.get());
    program_ = trial_->scheduleWhole();
  }
  return &*trial_;
}

/// Returns true if schedules decide, and no collective is exposed in the best one.
bool Chunker::isHidden(llvm::ArrayRef<const Node *> launches) {
  return trial() && llvm::all_of(launches, [&](const Node *launch) { return trial_->exposed(*launch) == 0; });
}

/// Keeps the plans of the fastest set.
void Chunker::chooseBySchedule() {
  ChunkSets sets(*trial_, context_.cost(), program_);
  sets.attempt(chainsWithinPeak_, plansWithinPeak_);
  if (plans_.size() != plansWithinPeak_.size() || chains_.size() != chainsWithinPeak_.size())
    sets.attempt(chains_, plans_);
  pass_.before_ += program_.time / picosecondsOfNs;
  pass_.after_ += sets.step().time / picosecondsOfNs;
  pass_.boundBefore_ += program_.bound / picosecondsOfNs;
  pass_.boundAfter_ += sets.step().bound / picosecondsOfNs;
  keep(sets.best());
}

/// Keeps these plans, and remarks on collectives of which none is cut.
void Chunker::keep(const ChunkPlans &chosen) {
  auto isCut = [&](const ChunkPlan &plan) {
    return llvm::any_of(chosen, [&](const ChunkPlan *other) { return other == &plan || other->overlaps(plan); });
  };
  for (const ChunkPlan &plan : plans_)
    if (!isCut(plan))
      context_.remark(pass_.whole_, *plan.region.launch);
  std::vector<ChunkPlan> kept;
  for (const std::vector<ChunkPlan> *plans : {&chains_, &plans_, &chainsWithinPeak_, &plansWithinPeak_})
    for (const ChunkPlan &plan : *plans)
      if (llvm::is_contained(chosen, &plan))
        kept.push_back(plan);
  plans_ = std::move(kept);
}

/// Without schedules: keeps the chains that save more than the plans that they overlap with, and drops those plans.
void Chunker::keepChains() {
  for (Plan &chain : chains_) {
    int64_t others = 0;
    for (const Plan &plan : plans_)
      others += chain.overlaps(plan) ? plan.saving() : 0;
    if (chain.saving() <= others && pass_.pieces_.get().limit == 0 && named_.empty()) {
      context_.remark(
          pass_.apart_, *chain.region.launch,
          {{"with", namesOf(*chain.chain, 1, ", ")},
           {"why", "together their pieces are predicted to save " + std::to_string(chain.saving() / picosecondsOfNs) +
                       " ns, apart " + std::to_string(others / picosecondsOfNs) + " ns"}});
      continue;
    }
    llvm::erase_if(plans_, [&](const Plan &plan) { return chain.overlaps(plan); });
    plans_.push_back(std::move(chain));
  }
}

/// Plans the cut of a chain whose form allows it; else returns why it stays whole.
std::string Chunker::planChain(ChunkChain chain) {
  if (std::optional<ChunkObstacle> obstacle = forms_.obstacle(chain))
    return "a part of it is " + reasonOf(*obstacle).id();
  Plan plan{chain.regions.front(), {}, std::move(chain)};
  if (plan.chain->isSymbolic()) {
    const llvm::SmallVector<int64_t, 4> parts = chooser_.statedParts(nameOf(*plan.chain));
    if (std::string why = whyNot(*plan.chain, parts); !why.empty())
      return "sizes are known only at run time: " + why;
    if (!parts.empty())
      return planParts(std::move(plan), parts);
  }
  if (isHidden(plan.launches()))
    return "none is exposed in the best schedule of the program";
  return planPieces(std::move(plan));
}

/// Plans stated pieces of a chain with symbolic rows; else returns why it stays whole.
std::string Chunker::planParts(Plan plan, llvm::ArrayRef<int64_t> parts) {
  if (llvm::any_of(symbolic_, [&](const Plan &other) { return other.overlaps(plan); }))
    return "a part of it is cut with others";
  plan.choice = statedChainParts(context_.cost(), *plan.chain, parts);
  takeSymbolic(std::move(plan));
  return "";
}

/// Plans the pieces of a chain that may be cut; else returns why it stays whole.
std::string Chunker::planPieces(Plan plan) {
  const ChunkChain &chain = *plan.chain;
  ChunkChoice choice = chooser_.choose(chain, trial());
  if (choice.pieces.size() == 1)
    return "together they are predicted to take " + std::to_string(choice.whole / picosecondsOfNs) +
           " ns, and no cut takes less";
  const int64_t bytes = bytesOfPieces(chain);
  const ChunkRegion &first = chain.regions.front(), &last = chain.regions.back();
  const bool hasRoom = facts_.spare().hasRoom(bytes, first.gathers() ? first.launch : first.products.front(),
                                              (last.gathers() ? last.products.back() : last.wait)->next());
  if (named_.empty() && !hasRoom)
    return "the pieces would hold " + std::to_string(bytes) +
           " bytes beside the whole, which exceeds the memory budget";
  plan.choice = std::move(choice);
  if (llvm::any_of(chains_, [&](const Plan &other) { return other.overlaps(plan); }))
    return "a part of it is cut with others";
  chains_.push_back(std::move(plan));
  return "";
}

void Chunker::visitChain(Node *launch) {
  auto isPart = [&](const Plan &plan) { return llvm::is_contained(plan.launches(), launch); };
  if (llvm::any_of(chains_, isPart) || llvm::any_of(symbolic_, isPart))
    return;
  std::optional<ChunkChain> chain = forms_.matchChain(launch);
  if (!chain || !named_.allow(nameOf(*chain)))
    return;
  std::string with = namesOf(*chain, 1, ", ");
  if (std::string why = planChain(std::move(*chain)); !why.empty())
    note(pass_.apart_, *launch, {{"with", with}, {"why", why}});
}

void Chunker::visit(Node *launch) {
  if (!named_.allow(launch->name().str()))
    return;
  ChunkMatch match = forms_.match(launch);
  args_.clear();
  if (match.entangled)
    return note(pass_.parallel_, *launch,
                {{"node", match.entangled->name().str().str()}, {"operator", match.entangled->target().str().str()}});
  if (std::string why = match.region ? "" : forms_.whyNoRegion(launch); !why.empty())
    return note(pass_.symbolic_, *launch, {{"why", why}});
  if (!match.region || isTaken(*match.region))
    return;
  if (std::optional<ChunkObstacle> obstacle = forms_.obstacle(*match.region))
    return note(reasonOf(*obstacle), *launch);
  if (match.region->hasSymbolicColumns && !forms_.areBound())
    return visitColumns(std::move(*match.region));
  if (match.region->symbolicRows) {
    llvm::SmallVector<int64_t, 4> parts = chooser_.statedParts(launch->name().str());
    if (std::string why = whyNot(*match.region, parts); !why.empty())
      return note(pass_.symbolic_, *launch, {{"why", why}});
    if (!parts.empty())
      return takeSymbolic({std::move(*match.region), {.pieces = std::move(parts)}});
  }
  if (std::optional<ChunkObstacle> obstacle = plan(std::move(*match.region)))
    note(reasonOf(*obstacle), *launch, args_);
}

/// Plans stated pieces of columns whose sizes have no values, without a prediction.
void Chunker::visitColumns(ChunkRegion region) {
  Node &launch = *region.launch;
  const std::string columns = std::to_string(region.rows);
  llvm::SmallVector<int64_t, 4> pieces = chooser_.statedPieces(region);
  if (region.rows < 2)
    note(pass_.rows_, launch);
  else if (pieces.empty())
    note(pass_.symbolic_, launch, {{"why", "no number of pieces is stated"}});
  else if (saturatingSum(pieces) != region.rows)
    note(pass_.symbolic_, launch, {{"why", "the stated pieces do not have all of its " + columns + " columns"}});
  else
    takeSymbolic({std::move(region), {.pieces = std::move(pieces)}});
}

/// Returns why symbolic rows stay whole, with the stated parts, or if there are none, with any. Only bound sizes have a
/// predicted time.
template <typename Form>
std::string Chunker::whyNot(const Form &form, llvm::ArrayRef<int64_t> parts) const {
  if (parts.empty() && !forms_.areBound())
    return "no number of pieces is stated";
  constexpr int64_t halves[] = {1, 1};
  return forms_.whyWhole(form, parts.empty() ? llvm::ArrayRef<int64_t>(halves) : parts);
}

/// Plans stated pieces of symbolic rows, without a prediction.
void Chunker::takeSymbolic(Plan plan) {
  if (plan.chain)
    llvm::for_each(plan.chain->regions, [&](const ChunkRegion &region) { take(region); });
  take(plan.region);
  if (!followed_)
    symbolic_.push_back(std::move(plan));
}

/// Returns "512+1536".
static std::string textOf(llvm::ArrayRef<int64_t> pieces) {
  std::string text;
  for (int64_t piece : pieces)
    text += (text.empty() ? "" : "+") + std::to_string(piece);
  return text;
}

/// Returns what the remark on a plan is.
const Reason &Chunker::reasonOf(const Plan &plan) const {
  const bool isPredicted = plan.choice.whole > 0;
  if (plan.region.symbolicRows && plan.chain)
    return isPredicted ? pass_.chainBound_ : pass_.chainSymbolic_;
  if (plan.region.symbolicRows)
    return isPredicted ? pass_.cutBound_ : pass_.cutSymbolic_;
  if (plan.chain)
    return pass_.chain_;
  if (!plan.region.cutsColumns())
    return pass_.cut_;
  return plan.region.hasSymbolicColumns && !isPredicted ? pass_.columnsSymbolic_ : pass_.columns_;
}

/// Makes the remark on a plan, and counts it.
void Chunker::state(const Plan &plan) {
  const bool columns = plan.region.cutsColumns(), isSymbolic = plan.region.symbolicRows != nullptr;
  const bool isPredicted = !plan.region.isSymbolic() || plan.choice.whole > 0;
  const std::string pieces = textOf(plan.choice.pieces);
  RemarkArgs args;
  if (plan.chain)
    args.emplace_back("with", namesOf(*plan.chain, 1, ", "));
  args.emplace_back(columns ? "columns" : "rows", isSymbolic ? textOfPieces(plan.region, plan.choice.pieces) : pieces);
  if (isSymbolic && isPredicted)
    args.emplace_back("parts", pieces);
  if (isPredicted) {
    args.emplace_back("whole-ns", std::to_string(plan.choice.whole / picosecondsOfNs));
    args.emplace_back("pieces-ns", std::to_string(plan.choice.cut / picosecondsOfNs));
  }
  context_.remark(reasonOf(plan), *plan.region.launch, args);
  pass_.done_.push_back(plan.text());
  ++pass_.regions_;
  pass_.made_ += static_cast<int64_t>(plan.choice.pieces.size());
  pass_.saved_ += plan.saving() / picosecondsOfNs;
}

void Chunker::apply(const Plan &plan) {
  RuleEntry entry;
  buildPieces(context_.cost(), graph_, plan, entry);
  context_.certificate().rules.push_back(std::move(entry));
}

/// Facts, costs and live bytes describe the graph before the first rewrite, so all regions are judged by then. Pieces
/// are made in program order, whatever chose them, so that a repetition of the rewrite gives them the same names.
void Chunker::applyAll() {
  llvm::stable_sort(plans_, [](const Plan &a, const Plan &b) { return a.region.launch->isBefore(b.region.launch); });
  llvm::for_each(plans_, [&](const Plan &plan) { state(plan); });
  static_cast<void>(context_.cost());
  editOwnProgram(graph_, context_, [&] { llvm::for_each(plans_, [&](const Plan &plan) { apply(plan); }); });
}

void Chunker::collect() {
  // Before the other regions take memory, since they may go instead of them.
  for (Node *node : graph_)
    if (collectiveOf(*node))
      visitChain(node);
  for (Node *node : graph_)
    if (collectiveOf(*node))
      visit(node);
}

/// Returns true if schedules decide, and may need more memory than the graph as it stands.
bool Chunker::hasMoreThanPeak() {
  return schedulesDecide() &&
         facts_.spare().live().peak() < context_.memoryBudget().value_or(std::numeric_limits<int64_t>::max());
}

/// More memory has these candidates too, so it is not slower. The others need not have room at their places, since
/// the trial knows the peak of the schedule.
void Chunker::collectWithinPeak() {
  followed_ = true;
  facts_.spare().reset(facts_.spare().live().peak());
  collect();
  plansWithinPeak_ = std::move(plans_);
  chainsWithinPeak_ = std::move(chains_);
  plans_.clear();
  chains_.clear();
  taken_.clear();
  facts_.spare().reset(std::nullopt);
  followed_ = false;
}

llvm::Expected<Changed> Chunker::run() {
  pass_.done_.clear();
  if (llvm::Error error = named_.read(pass_.only_.get()))
    return error;
  if (hasMoreThanPeak())
    collectWithinPeak();
  collect();
  if (trial_ && !(plans_.empty() && chains_.empty()))
    chooseBySchedule();
  else
    keepChains();
  llvm::append_range(plans_, symbolic_);
  if (llvm::Error error = named_.require(plans_))
    return error;
  if (!plans_.empty())
    applyAll();
  return plans_.empty() ? Changed::No : Changed::Yes;
}

llvm::Expected<Changed> ChunkCollectives::run(Graph &graph, PassContext &context) {
  return Chunker(*this, graph, context).run();
}

std::unique_ptr<Pass> createChunkCollectives() { return std::make_unique<ChunkCollectives>(); }

} // namespace ccgraph
