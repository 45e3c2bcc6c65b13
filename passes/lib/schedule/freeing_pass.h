// FreeingPass: the base of the passes that make the memory of values free for a part of the step (recompute-values,
// offload-values).
//
// A pass declares what it may do with values, its reasons and its statistics. This class has the options of both. It
// runs the search (freeing_search.h) or takes the values that `only` names, and frees them.
//
// Ownership: as Pass. Failure: an error of the option `only`.
#pragma once

#include "ccgraph/passes/pass.h"
#include "schedule/freeing_search.h"

namespace ccgraph {

/// Under which budgets such a pass changes the program: below the peak of the program, or always.
enum class Occasion : uint8_t { BelowPeak, Always };

class FreeingPass : public Pass {
public:
  llvm::Expected<Changed> run(Graph &graph, PassContext &context) final;
  [[nodiscard]] std::string repetition() const final {
    return (name() + "{only=" + OptionText<NodeNames>::print({done_}) + "}").str();
  }

protected:
  /// How the option `only` names values.
  struct Named {
    UsualAction usual = UsualAction::Recompute;
    /// what may be done with them: "be offloaded"
    llvm::StringRef what;
    llvm::StringRef help;
  };
  FreeingPass(const Traits &traits, const Named &named) : Pass(traits), named_(named) {}

  /// Sets what may be done with the values of a program. `isBelow`: the budget is below its peak.
  virtual void allow(FreeingSetting &setting, const PassContext &context, bool isBelow) const = 0;
  /// Returns true if results of all_gathers may be gathered again.
  [[nodiscard]] virtual bool mayGatherAgain() const { return false; }
  [[nodiscard]] virtual FreeingReasons reasons() const = 0;
  /// Counts what was searched.
  virtual void count(const FreeingSearch &search) = 0;
  /// Counts, and remarks on, the values, and states them in the certificate.
  virtual void report(const FreedValues &values, PassContext &context) = 0;

private:
  [[nodiscard]] std::vector<std::string> choose(Graph &graph, PassContext &context);
  [[nodiscard]] llvm::Error refuse(llvm::StringRef text, const PassContext &context) const;

  Named named_;
  std::vector<std::string> done_; ///< by the last run, as the option `only` names them

  ChoiceOption<Occasion> when_{
      *this,
      "when",
      Occasion::BelowPeak,
      {{"below-peak", Occasion::BelowPeak}, {"always", Occasion::Always}},
      "below-peak: only under a memory budget below the peak of the program; always: also where the freed memory makes "
      "the step faster"};
  Option<Count> parts_{*this, "parts", Count{8},
                       "how many parts are tried: they reduce the peak by one sixteenth of it, two sixteenths, ..."};
  Option<Count> walks_{*this, "walks", Count{16}, "trial schedules of the search for each part, see schedule-overlap"};
  Option<Count> beam_{*this, "beam", Count{64}, "beam of that search"};
  Option<NodeNames> only_{*this, "only", NodeNames{}, named_.help};
};

/// The statistics and the remark of values that are offloaded.
struct OffloadReport {
  OffloadReport(Pass &pass, llvm::StringRef bytesName);
  /// Reports a value, and states it in the certificate.
  void add(const Offloaded &value, PassContext &context);

  Statistic values, bytes, copies;
  Reason offloaded, small, part, readThere, otherName;
};

} // namespace ccgraph
