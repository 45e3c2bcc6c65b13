// Records of PyTorch 2.15's DistributedDataParallel: what these tests compare with.
//
// The folder is CCGRAPH_DDP_RECORDS, or tests/data/ddp, which has some of the records. Its README describes the files.
//
// Failure: a file that is missing or damaged ends the test. Cost: each call reads a file.
#pragma once

#include "ccgraph/ir/host_tensor.h"

#include "llvm/ADT/StringRef.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccgraph::test {

using Json = nlohmann::json;

/// Returns the path of a file in the folder of records.
[[nodiscard]] std::string recordPath(llvm::StringRef file);
/// Returns whether the folder has this file.
[[nodiscard]] bool hasRecord(llvm::StringRef file);
/// Returns the value of a JSON file, or the values of a file with one value a line.
[[nodiscard]] Json readRecord(llvm::StringRef file);
[[nodiscard]] std::vector<Json> readRecordLines(llvm::StringRef file);
[[nodiscard]] TensorMap readTensors(llvm::StringRef file);

/// The largest difference of two tensors; infinite if their sizes differ, or if only one of two elements is NaN.
[[nodiscard]] double largestDifference(const HostTensor &a, const HostTensor &b);

} // namespace ccgraph::test
