// The instances of a collective rule: the modules that its pattern selects in a step, with the selected collectives of
// each (ccgraph/ir/contract.h).
//
// Ownership: refers to the facts. Failure: none. Cost: linear in modules and collectives.
#pragma once

#include "ccgraph/checks/communication_facts.h"
#include "ccgraph/ir/contract.h"

#include <map>

namespace ccgraph {

using SelectedCollectives = std::vector<const CollectiveFacts *>;
/// by module, sorted; the module is "" if the rule has no pattern
using RuleInstances = std::map<std::string, SelectedCollectives>;

/// Returns whether the rule selects the collective: its graph, kind, group and module.
[[nodiscard]] bool selects(const CollectiveRule &rule, const CollectiveFacts &collective);

/// A pattern without a star has one instance, which may have no collectives.
[[nodiscard]] RuleInstances instancesOf(const CollectiveRule &rule, const CommunicationFacts &facts);

/// Returns the sum of their bytes; empty if one is unknown.
[[nodiscard]] std::optional<int64_t> bytesOf(const SelectedCollectives &collectives);

} // namespace ccgraph
