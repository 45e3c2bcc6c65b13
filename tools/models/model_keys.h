// Model keys: the sizes of a ModelConfig by the names that files give them, declared once for reading and checking.
//
// Ownership: static. Failure: none. Cost: none.
#pragma once

#include "models/model_config.h"

namespace ccgraph::models {

struct ModelKey {
  llvm::StringLiteral name;
  /// one of the two
  int64_t ModelConfig::*count;
  double ModelConfig::*number;
  /// least value; of a part that not every model has: where it has it
  int64_t least = 0;
  bool (*applies)(const ModelConfig &) = nullptr;
  /// largest value
  int64_t most = int64_t{1} << 40;

  [[nodiscard]] int64_t leastOf(const ModelConfig &config) const { return !applies || applies(config) ? least : 0; }
};

/// In the order of the documentation.
[[nodiscard]] llvm::ArrayRef<ModelKey> modelKeys();

} // namespace ccgraph::models
