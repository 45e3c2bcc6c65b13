#include "legality/in_flight.h"

#include "legality/checks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

class FlightLogger {
public:
  FlightLogger(const Program &program, const Storages &storages)
      : program_(program), storages_(storages), active_(storages.count()) {}

  FlightLog run() {
    for (uint32_t i = 0; i < program_.size(); ++i) {
      const Step &step = program_[i];
      if (step.waits)
        land(i, step);
      else if (inTheAir_)
        findIntrusions(i, step);
      if (step.launches)
        launch(i, step);
    }
    return std::move(log_);
  }

private:
  enum class Hold : uint8_t { Read, Write };
  struct Active {
    uint32_t flight;
    Hold hold;
  };

  bool over(const Active &active) const { return log_.flights[active.flight].wait != none; }

  void land(uint32_t index, const Step &step) {
    for (uint32_t operand : program_.operands(step))
      for (uint32_t storage : operand == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operand))
        for (const Active &active : active_[storage]) {
          Flight &flight = log_.flights[active.flight];
          if (flight.wait != none || !llvm::is_contained(flight.results, storage))
            continue;
          flight.wait = index;
          --inTheAir_;
        }
  }

  void findIntrusions(uint32_t index, const Step &step) {
    auto operands = program_.operands(step);
    auto accesses = program_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      bool writes = has(accesses[i], Access::Write | Access::InFlightWrite);
      if (operands[i] == none || (!writes && !has(accesses[i], Access::Read | Access::InFlightRead)))
        continue;
      for (uint32_t storage : storages_.of(operands[i]))
        if (!active_[storage].empty())
          intrude(index, storage, writes);
    }
  }

  void intrude(uint32_t index, uint32_t storage, bool writes) {
    auto &active = active_[storage];
    llvm::erase_if(active, [&](const Active &one) { return over(one); });
    for (const Active &one : active)
      if (writes || one.hold == Hold::Write)
        log_.intrusions.push_back({log_.flights[one.flight].launch, index, storage});
  }

  void launch(uint32_t index, const Step &step) {
    const Argument *inputs = elementwiseList(step);
    uint32_t elements = inputs ? storages_.numElements(index) : 0;
    for (uint32_t i = 0; i < std::max(elements, 1U); ++i) {
      Flight flight;
      flight.launch = index;
      auto results = elements ? storages_.element(index, i) : storages_.of(index);
      flight.results.assign(results.begin(), results.end());
      addOperands(step, inputs && elements ? &inputs->elements()[i] : nullptr, flight);
      start(flight);
    }
  }

  /// Operands held by one element's flight: its own, and those outside the list.
  void addOperands(const Step &step, const Argument *own, Flight &flight) {
    auto operands = program_.operands(step);
    auto accesses = program_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (own && own->is(Argument::Kind::Operand) && own->operandIndex() != i && inList(step, i))
        continue;
      if (operands[i] == none)
        continue;
      auto held = storages_.of(operands[i]);
      if (has(accesses[i], Access::InFlightRead))
        flight.reads.append(held.begin(), held.end());
      if (has(accesses[i], Access::InFlightWrite))
        flight.writes.append(held.begin(), held.end());
    }
  }

  static bool inList(const Step &step, size_t operand) {
    return llvm::any_of(elementwiseList(step)->elements(), [&](const Argument &element) {
      return element.is(Argument::Kind::Operand) && element.operandIndex() == operand;
    });
  }

  void start(Flight &flight) {
    auto number = static_cast<uint32_t>(log_.flights.size());
    for (uint32_t storage : flight.results)
      active_[storage].push_back({number, Hold::Write});
    for (uint32_t storage : flight.reads)
      active_[storage].push_back({number, Hold::Read});
    for (uint32_t storage : flight.writes)
      active_[storage].push_back({number, Hold::Write});
    ++inTheAir_;
    log_.flights.push_back(std::move(flight));
  }

  const Program &program_;
  const Storages &storages_;
  std::vector<llvm::SmallVector<Active, 0>> active_;
  size_t inTheAir_ = 0;
  FlightLog log_;
};

/// Pairs that touched each other before already: what PyTorch's own graphs do is not this pass's doing.
llvm::DenseSet<uint64_t> knownPairs(const Evidence &evidence) {
  llvm::DenseSet<uint64_t> known;
  const Correspondence &correspondence = evidence.correspondence;
  for (const Intrusion &intrusion : logFlights(evidence.before, evidence.storagesBefore).intrusions) {
    uint32_t launch = correspondence.performer(intrusion.launch);
    uint32_t step = correspondence.performer(intrusion.step);
    if (launch != none && step != none)
      known.insert(uint64_t(launch) << 32 | step);
  }
  return known;
}

} // namespace

FlightLog logFlights(const Program &program, const Storages &storages) { return FlightLogger(program, storages).run(); }

void checkInFlight(const Evidence &evidence, Findings &findings) {
  FlightLog log = logFlights(evidence.after, evidence.storagesAfter);
  if (log.intrusions.empty())
    return;
  auto known = knownPairs(evidence);
  for (const Intrusion &intrusion : log.intrusions) {
    if (known.contains(uint64_t(intrusion.launch) << 32 | intrusion.step))
      continue;
    const Node *owner = evidence.after[evidence.storagesAfter.owner(intrusion.storage)].node;
    findings.add(*evidence.after[intrusion.step].node, "in-flight",
                 "touches the storage of " + quoted(owner) + ", which " +
                     quoted(evidence.after[intrusion.launch].node) +
                     " has in flight here, expected after a wait on it");
  }
}

} // namespace ccgraph::legality
