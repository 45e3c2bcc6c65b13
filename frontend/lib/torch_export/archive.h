// readModels: the texts of the models in a torch.export archive. Only archive.cpp knows minizip.
//
// Ownership: texts are the caller's. Errors: a text that is not an archive, an archive without a model, one that is
// damaged or inflates beyond the limit, or a ccgraph that was built without minizip. Cost: that of inflating the
// models; other entries are not read.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ccgraph {

struct ArchivedModel {
  std::string entry; ///< "llama/models/model.json"
  std::string name;  ///< "model"
  std::string text;
};

/// Returns the models sorted by entry, at least one.
[[nodiscard]] llvm::Expected<std::vector<ArchivedModel>> readModels(const SourceText &source);

} // namespace ccgraph
