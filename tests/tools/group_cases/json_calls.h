// Calls of process groups that JSON describes, as group_cases.cpp documents it.
//
// Ownership: a tensor is memory of the caller. Failure: that of the call; json::exception for a request that lacks a
// member. Cost: that of the call.
#pragma once

#include "ccgraph/runtime/process_group.h"

#include <nlohmann/json.hpp>

namespace ccgraph::runtime {

/// The member "timeout", in milliseconds.
[[nodiscard]] std::optional<std::chrono::milliseconds> timeIn(const nlohmann::json &request);
[[nodiscard]] Tensor tensorOf(const nlohmann::json &tensor);
/// The list of this name, which may be absent.
[[nodiscard]] std::vector<Tensor> tensorsIn(const nlohmann::json &request, const char *name);
/// `op`: "all_reduce", "recv_any".
[[nodiscard]] llvm::Expected<WorkPtr> beginCall(ProcessGroup &group, const std::string &op,
                                                const nlohmann::json &request);

} // namespace ccgraph::runtime
