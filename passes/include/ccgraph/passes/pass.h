// Pass: one rewrite of a Graph, with its options, statistics and reasons declared as members.
//
// A pass is a class in one .cpp file under normalize/, simplify/ or schedule/ and a line in the
// registry; it has no header. Its name is the same kebab-case words everywhere: class, file, flag,
// golden folder, docs heading. run() edits the graph, fills the certificate that the legality
// checker holds it to, and makes a remark for whatever it did or refused. Results are a pure
// function of the graph, the options and the budget, because every rank must derive the same
// program on its own.
//
// Ownership: a Pass owns its members; the context is the manager's and lives for one run.
// Failure: an Error means that the input is unfit (a bug of the pass is an assertion); the graph is
// then unspecified and the manager gives up on it.
// Cost: near-linear in nodes and edges, by contract.
#pragma once

#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/passes/analyses.h"
#include "ccgraph/passes/cost.h"
#include "ccgraph/passes/options.h"
#include "ccgraph/passes/remark.h"

#include <memory>

namespace ccgraph {

/// Whether a pass edited the graph. "No" is checked where any check is on: the graph must then be
/// what it was, to the pointer (GraphSnapshot::matches).
enum class Changed : bool { No, Yes };

/// When a pass runs in the levels. A pipeline in another order is legal; but the budget is taken
/// when the first pass that is not of Normalize begins, and passes of Normalize get none.
enum class Phase : uint8_t {
  /// one form for everything; values and order stay
  Normalize,
  /// fewer nodes, or others that compute the same
  Simplify,
  /// another order, other buckets
  Schedule,
};
/// "normalize", "simplify", "schedule".
[[nodiscard]] llvm::StringRef phaseName(Phase phase);

/// A count that a pass keeps, e.g. `Statistic moved{*this, "moved", "waits that stand later"}`; the
/// manager reads it after each run and sets it to 0.
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

/// The id of a reason that remarks of this pass may give, with one sentence for the docs.
class Reason {
public:
  Reason(Pass &pass, RemarkKind kind, llvm::StringRef id, llvm::StringRef help);
  Reason(const Reason &) = delete;
  Reason &operator=(const Reason &) = delete;
  /// What is said to have happened to the node.
  [[nodiscard]] RemarkKind kind() const { return kind_; }
  /// Kebab-case, unique among the reasons of one kind of its pass.
  [[nodiscard]] const std::string &id() const { return id_; }
  [[nodiscard]] const std::string &help() const { return help_; }

private:
  RemarkKind kind_;
  std::string id_;
  std::string help_;
};

/// What a pass may ask and must keep to; the references outlive its run.
struct PassSetting {
  Analyses &analyses;
  CostsOnDemand &costs;
  /// peak bytes; empty: memory is no constraint
  std::optional<int64_t> budget = std::nullopt;
  bool spmd = true;
  bool bitwise = false;
  const ObjectMeanings *objects = nullptr;
};

/// What surrounds one run of one pass.
class PassContext {
public:
  PassContext(llvm::StringRef pass, const PassSetting &setting) : setting_(setting) { certificate_.pass = pass.str(); }

  /// Of the graph that the pass is given.
  [[nodiscard]] Analyses &analyses() { return setting_.analyses; }

  /// How long nodes take, of this pipeline's graph on its machine: made when the first pass asks, and kept for all.
  [[nodiscard]] const CostModel &cost() const { return setting_.costs.get(); }
  /// Peak bytes that the graph may need after this pass (ccgraph/ir/lifetimes.h defines what counts).
  [[nodiscard]] std::optional<int64_t> memoryBudget() const { return setting_.budget; }
  /// True if every rank runs this very program, so that a rule of the text alone gives every rank
  /// the same order. False: keep the order across groups.
  [[nodiscard]] bool spmd() const { return setting_.spmd; }
  /// True if results must keep every bit: no sum of floating-point numbers may be taken in another order.
  [[nodiscard]] bool bitwise() const { return setting_.bitwise; }
  /// What a file says of the objects that the program holds; null where none does.
  [[nodiscard]] const ObjectMeanings *objects() const { return setting_.objects; }
  /// Where the pass writes down what it did; empty at first but for the name of the pass.
  [[nodiscard]] Certificate &certificate() { return certificate_; }
  /// Makes a remark about a node, which may be erased. Kind and id come from the declared reason.
  void remark(const Reason &reason, const Node &node, RemarkArgs args = {});
  /// All remarks so far, in the order in which they were made.
  [[nodiscard]] std::vector<Remark> &remarks() { return remarks_; }

private:
  Certificate certificate_;
  std::vector<Remark> remarks_;
  PassSetting setting_;
};

/// What the manager, help and docs see of a pass.
class Pass {
public:
  struct Traits {
    /// kebab-case, verb first
    llvm::StringRef name;
    /// one sentence; the rewrite, not the motive
    llvm::StringRef description;
    Phase phase = Phase::Schedule;
    /// may change the order of a floating-point reduction
    bool reassociates = false;
    /// may change the order in which the collectives of a group are issued: the manager tells the legality checker, which
    /// refuses it of any other pass
    bool reordersCollectives = false;
    /// does what a file says: a rewrite of it that a check refuses is the file's mistake, and no defect of the pass
    bool asTold = false;
  };
  /// The strings of the traits are literals: they are not copied.
  explicit Pass(const Traits &traits) : traits_(traits) {}
  virtual ~Pass() = default;
  Pass(const Pass &) = delete;
  Pass &operator=(const Pass &) = delete;

  /// A new pass of this kind with default options.
  [[nodiscard]] virtual std::unique_ptr<Pass> create() const = 0;
  /// A new pass of this kind with the options that were set here.
  [[nodiscard]] std::unique_ptr<Pass> clone() const;

  /// Does the rewrite, and says whether there was any. Called again for another graph, it must
  /// behave as if it were new; statistics are set to 0 by the manager before each call. It must not
  /// print, and must not look at the clock, at addresses or at the order of a hash.
  [[nodiscard]] virtual llvm::Expected<Changed> run(Graph &graph, PassContext &context) = 0;

  [[nodiscard]] llvm::StringRef name() const { return traits_.name; }
  [[nodiscard]] llvm::StringRef description() const { return traits_.description; }
  [[nodiscard]] Phase phase() const { return traits_.phase; }
  /// True: equal values are asked of it within a tolerance only, see runtime/equivalence.h.
  [[nodiscard]] bool reassociates() const { return traits_.reassociates; }
  [[nodiscard]] bool reordersCollectives() const { return traits_.reordersCollectives; }
  [[nodiscard]] bool asTold() const { return traits_.asTold; }
  /// In the order of declaration.
  [[nodiscard]] llvm::ArrayRef<OptionBase *> options() const { return options_; }
  [[nodiscard]] llvm::ArrayRef<Statistic *> statistics() const { return statistics_; }
  [[nodiscard]] llvm::ArrayRef<Reason *> reasons() const { return reasons_; }

  /// What became of set().
  struct Setting {
    bool done = false;
    OptionBase *option = nullptr;
  };
  /// Sets an option from text; setting it again replaces the value. `done` false: no such option,
  /// or no such value (then `option` is the one that refused it).
  Setting set(llvm::StringRef option, llvm::StringRef value);
  /// `name{option=value ...}` with the options that were set, in the order in which they were.
  [[nodiscard]] std::string str() const;

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
