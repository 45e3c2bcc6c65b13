// Declares the sizes of a ModelConfig by their names in files, once for reading and checking.
//
// Ownership: static. Failure: none. Cost: none.
#pragma once

#include "models/model_config.h"

namespace ccgraph::models {

struct ModelKey {
  llvm::StringLiteral name;
  /// either count or number is set
  int64_t ModelConfig::*count;
  double ModelConfig::*number;
  /// smallest value; for an optional part of a model, only if the model has the part
  int64_t least = 0;
  bool (*applies)(const ModelConfig &) = nullptr;
  /// largest value
  int64_t most = int64_t{1} << 40;

  [[nodiscard]] int64_t leastOf(const ModelConfig &config) const { return !applies || applies(config) ? least : 0; }
};

/// Returns the keys in the order of the documentation.
[[nodiscard]] llvm::ArrayRef<ModelKey> modelKeys();

} // namespace ccgraph::models
