// Compares the communication of a training step with a contract (ccgraph/ir/contract.h), and makes a first contract
// from a step.
//
//   LabeledGraph graphs[] = {{graph.get(), "joint"}};
//   CommunicationFacts facts = cantFail(gatherCommunication({graphs, &machine}));
//   for (const ContractFinding &finding : checkContract(contract, facts)) ...
//
// rule                  finding
//   count               an instance of a collective rule has another number of collectives
//   bytes               another number of bytes, or bytes that are unknown
//   dtype, reduction    a collective has a dtype or a reduction that the rule does not list
//   modules             the module pattern has another number of instances
//   unlisted            no rule selects the collective, and the contract forbids such collectives
//   missing-wait, dead-wait, dead-collective, exposed-collectives, exposed-percent, peak-bytes
//                       the limit of this name is exceeded
//
// Where a count differs and another instance of the same pattern satisfies the rule, the finding names only the
// collectives that one of the two has and the other lacks.
//
// Ownership: plain values. Failure: none. Cost: linear in rules times collectives.
#pragma once

#include "ccgraph/checks/communication_facts.h"
#include "ccgraph/ir/contract.h"

namespace ccgraph {

struct ContractFinding {
  /// as listed above
  std::string rule;
  /// what is wrong, what was found and what the contract requires
  std::string message;
  /// the rule or the limit in the contract's file
  ContractPlace place;
  /// the nodes that cause the finding, the most important first; may be empty
  std::vector<NodePlace> nodes;
  /// what to do
  std::string repair;
};

/// The id of each rule, and one sentence that states what the rule requires.
struct ContractRule {
  llvm::StringRef id;
  llvm::StringRef demand;
};
[[nodiscard]] llvm::ArrayRef<ContractRule> contractRules();

/// Returns the findings in the order of the contract, limits first; empty if the step satisfies the contract. Limits of
/// exposed time require facts with times.
[[nodiscard]] std::vector<ContractFinding> checkContract(const Contract &contract, const CommunicationFacts &facts);

/// Prints one finding: "error: ... [rule]" with the place in the contract, the nodes (at most ten) and the repair.
void print(llvm::raw_ostream &os, const ContractFinding &finding, llvm::StringRef contractFile);

/// Returns a contract that the step satisfies with nothing to spare: a rule for each module pattern, kind and group,
/// with exact counts and bytes, and limits equal to the step's values. Modules that differ only in numbers, as layers
/// do, share one rule if each of them has the same collectives. Collectives without a rule are forbidden. `machine` is
/// the name of the machine of the facts; empty: the contract names none. Facts without times give no limit of exposed
/// time.
[[nodiscard]] Contract contractOf(const CommunicationFacts &facts, llvm::StringRef machine);

} // namespace ccgraph
