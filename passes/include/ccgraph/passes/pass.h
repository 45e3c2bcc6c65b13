// Pass: one rewrite of a Graph, with its options, statistics and reasons declared as members.
//
// A pass is a class in one .cpp file under normalize/, simplify/ or schedule/ and a line in the registry; it has no
// header. Its name consists of the same words everywhere: class, file, flag, golden folder, docs heading. The function
// run() edits the graph, fills the certificate that the legality checker verifies, and makes a remark for every rewrite
// and every refusal. Results are a pure function of the graph, the options and the budget, because every rank must
// derive the same program independently.
//
// Ownership: a Pass owns its members; the manager owns the context, which lives for one run.
// Failure: an Error means that the input is unfit (a bug of the pass is an assertion). The graph is then unspecified
// and the manager stops.
// Cost: near-linear in nodes and edges, by contract.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/passes/analyses.h"
#include "ccgraph/passes/cost.h"
#include "ccgraph/passes/known_order.h"
#include "ccgraph/passes/options.h"
#include "ccgraph/passes/remark.h"

#include <memory>

namespace ccgraph {

/// Whether a pass edited the graph. Where checks are enabled, "No" is verified: the graph must then be what it was,
/// down to the pointers (GraphSnapshot::matches).
enum class Changed : bool { No, Yes };

/// When a pass runs in the levels. A pipeline in another order is legal. The budget is computed when the first pass
/// outside Normalize begins; Normalize passes get none.
enum class Phase : uint8_t {
  /// one canonical form; values and order stay
  Normalize,
  /// fewer nodes, or other nodes that compute the same
  Simplify,
  /// another order, other buckets
  Schedule,
};
/// "normalize", "simplify", "schedule".
[[nodiscard]] llvm::StringRef phaseName(Phase phase);

/// A counter of a pass, e.g. `Statistic moved{*this, "moved", "waits that stand later"}`. The manager reads it after
/// each run and resets it to 0.
class Statistic {
public:
  Statistic(Pass &pass, llvm::StringRef name, llvm::StringRef help);
  Statistic(const Statistic &) = delete;
  Statistic &operator=(const Statistic &) = delete;
  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] const std::string &help() const { return help_; }
  [[nodiscard]] int64_t value() const { return value_; }
  Statistic &operator+=(int64_t more) { return value_ += more, *this; }
  Statistic &operator++() { return *this += 1; }
  void reset() { value_ = 0; }

private:
  std::string name_;
  std::string help_;
  int64_t value_ = 0;
};

/// The id of a reason that remarks of this pass may have, with one sentence for the docs.
class Reason {
public:
  Reason(Pass &pass, RemarkKind kind, llvm::StringRef id, llvm::StringRef help);
  Reason(const Reason &) = delete;
  Reason &operator=(const Reason &) = delete;
  /// Returns the kind of the remarks that have this reason.
  [[nodiscard]] RemarkKind kind() const { return kind_; }
  /// Kebab-case, unique among the reasons of one kind of its pass.
  [[nodiscard]] const std::string &id() const { return id_; }
  [[nodiscard]] const std::string &help() const { return help_; }

private:
  RemarkKind kind_;
  std::string id_;
  std::string help_;
};

/// The inputs and constraints of a pass. The references outlive its run.
struct PassSetting {
  Analyses &analyses;
  CostsOnDemand &costs;
  /// peak bytes; empty: no memory limit
  std::optional<int64_t> budget = std::nullopt;
  bool spmd = true;
  bool bitwise = false;
  const ObjectMeanings *objects = nullptr;
  /// peak bytes of the input of the pipeline; empty: the graph is not normalized yet
  std::optional<int64_t> inputPeak = std::nullopt;
  llvm::ArrayRef<KnownOrder> knownOrders = {};
  /// the passes that free memory are part of the pipeline
  bool freesMemory = false;
  /// a pass that may free the memory of a value in two ways compares them for each value
  bool actionPerValue = false;
};

/// The context of one run of one pass.
class PassContext {
public:
  PassContext(llvm::StringRef pass, const PassSetting &setting) : setting_(setting) { certificate_.pass = pass.str(); }
  /// Returns the setting for a copy of the graph, without a memory budget. The references must outlive it.
  [[nodiscard]] PassSetting settingFor(Analyses &analyses, CostsOnDemand &costs) const {
    return {analyses, costs, std::nullopt, setting_.spmd, setting_.bitwise, setting_.objects};
  }

  /// Returns the analyses of the graph that the pass runs on.
  [[nodiscard]] Analyses &analyses() { return setting_.analyses; }

  /// Returns the cost model of this pipeline's graph on its machine. It is constructed on first use and kept for all
  /// passes.
  [[nodiscard]] const CostModel &cost() const { return setting_.costs.get(); }
  [[nodiscard]] CostsOnDemand &costs() const { return setting_.costs; }
  /// Returns the peak bytes that the graph may need after this pass (ccgraph/ir/lifetimes.h defines what counts).
  [[nodiscard]] std::optional<int64_t> memoryBudget() const { return setting_.budget; }
  /// Peak bytes of the input of the pipeline, before any pass. Passes that normalize may change the peak a little, and
  /// callers choose budgets as parts of this one.
  [[nodiscard]] std::optional<int64_t> inputPeak() const { return setting_.inputPeak; }
  /// Returns the orders that other schedulers chose for the input of the pipeline.
  [[nodiscard]] llvm::ArrayRef<KnownOrder> knownOrders() const { return setting_.knownOrders; }
  /// True if every rank runs this very program, so that a rule of the text alone gives every rank
  /// the same order. False: keep the order across groups.
  [[nodiscard]] bool spmd() const { return setting_.spmd; }
  /// Returns true if results must be bitwise equal: no floating-point sum may be reassociated.
  [[nodiscard]] bool bitwise() const { return setting_.bitwise; }
  /// Returns true if the manager found that the pipeline gives a better step with the passes that free memory.
  [[nodiscard]] bool freesMemory() const { return setting_.freesMemory; }
  /// Returns true if the manager found that the pipeline gives a better step if a pass that may free the memory of a
  /// value in two ways compares them for each value, instead of taking one way after the other.
  [[nodiscard]] bool actionPerValue() const { return setting_.actionPerValue; }
  /// Returns the meanings that a file gives to the graph's objects; null if no file was given.
  [[nodiscard]] const ObjectMeanings *objects() const { return setting_.objects; }
  /// Returns the certificate, in which the pass records its rewrites. At first it contains only the pass name.
  [[nodiscard]] Certificate &certificate() { return certificate_; }
  /// Makes a remark about a node, which may be erased. Kind and id come from the declared reason.
  void remark(const Reason &reason, const Node &node, RemarkArgs args = {});
  /// Returns all remarks so far, in the order in which they were made.
  [[nodiscard]] std::vector<Remark> &remarks() { return remarks_; }

private:
  Certificate certificate_;
  std::vector<Remark> remarks_;
  PassSetting setting_;
};

/// The interface of a pass to the manager, help and docs.
class Pass {
public:
  struct Traits {
    /// kebab-case, verb first
    llvm::StringRef name;
    /// one sentence; the rewrite, not the motive
    llvm::StringRef description;
    Phase phase = Phase::Schedule;
    /// Largest absolute and relative difference of results after the rewrite, for inputs near 1; 0: results are bitwise
    /// equal.
    double tolerance = 0;
    /// may change the order in which the collectives of a group are issued. The manager passes this to the legality
    /// checker, which rejects such a change from any other pass
    bool reordersCollectives = false;
    /// follows a file: if a check rejects the rewrite, the file is at fault and not the pass
    bool asTold = false;
    /// chooses by predicted schedules which collectives are repeated, which values are computed again, or what runs in
    /// pieces. Before each such pass the manager predicts the bound of all choices (predictChangedBound())
    bool choosesNodes = false;
    /// exchanges time for memory, which the passes that follow may use. Such a pass chooses nodes, and the manager
    /// tries the pipeline with and without it (PassContext::freesMemory())
    bool freesMemory = false;
  };
  /// The strings of the traits are literals and are not copied.
  explicit Pass(const Traits &traits) : traits_(traits) {}
  virtual ~Pass() = default;
  Pass(const Pass &) = delete;
  Pass &operator=(const Pass &) = delete;

  /// Returns a new pass of this kind with default options.
  [[nodiscard]] virtual std::unique_ptr<Pass> create() const = 0;
  /// Returns a new pass of this kind with the options that were set here.
  [[nodiscard]] std::unique_ptr<Pass> clone() const;

  /// Rewrites the graph, and returns whether it changed. A second call on another graph must behave like the first; the
  /// manager resets statistics to 0 before each call. A pass must not print, and must not depend on the clock, on
  /// addresses or on hash order.
  [[nodiscard]] virtual llvm::Expected<Changed> run(Graph &graph, PassContext &context) = 0;

  [[nodiscard]] llvm::StringRef name() const { return traits_.name; }
  [[nodiscard]] llvm::StringRef description() const { return traits_.description; }
  [[nodiscard]] Phase phase() const { return traits_.phase; }
  /// Results are compared within this tolerance, see runtime/equivalence.h.
  [[nodiscard]] double tolerance() const { return traits_.tolerance; }
  [[nodiscard]] bool reordersCollectives() const { return traits_.reordersCollectives; }
  [[nodiscard]] bool asTold() const { return traits_.asTold; }
  [[nodiscard]] bool choosesNodes() const { return traits_.choosesNodes; }
  [[nodiscard]] bool freesMemory() const { return traits_.freesMemory; }
  /// Returns the options in the order of declaration.
  [[nodiscard]] llvm::ArrayRef<OptionBase *> options() const { return options_; }
  [[nodiscard]] llvm::ArrayRef<Statistic *> statistics() const { return statistics_; }
  [[nodiscard]] llvm::ArrayRef<Reason *> reasons() const { return reasons_; }

  /// The result of set().
  struct Setting {
    bool done = false;
    OptionBase *option = nullptr;
  };
  /// Sets an option from text; a second call replaces the value. `done` is false if there is no such option, or no such
  /// value (then `option` is the one that rejected it).
  Setting set(llvm::StringRef option, llvm::StringRef value);
  /// Returns `name{option=value ...}` with the options that were set, in the order in which they were set.
  [[nodiscard]] std::string str() const;
  /// Returns the text of a pass that makes the last rewrite again on the same graph. It differs from str() for a pass
  /// whose choice depends on the cost model, which the place of the repetition may not have.
  [[nodiscard]] virtual std::string repetition() const { return str(); }

private:
  friend class OptionBase;
  friend class Reason;
  friend class Statistic;
  Traits traits_;
  std::vector<OptionBase *> options_;
  std::vector<OptionBase *> set_;
  std::vector<Statistic *> statistics_;
  std::vector<Reason *> reasons_;
};

} // namespace ccgraph
