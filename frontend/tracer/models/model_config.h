// ModelConfig holds the sizes of a transformer; one program generates all model families from them.
//
// The presets are the published configurations (modelPresets names each source). A user's file has the same keys and
// changes a preset: {"model": "llama3-8b", "layers": 4, "dim": 1024}.
//
// Ownership: plain values. Failure: diagnostics with the file, the key, the value that was found and the expected
// value. Cost: negligible.
#pragma once

#include "ccgraph/frontend/source_text.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ccgraph::models {

struct ModelConfig {
  std::string name;
  int64_t dim = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  /// fewer than heads if several query heads share one head of keys and values
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  /// width of a dense layer's feed-forward network
  int64_t ffnDim = 0;
  int64_t vocab = 0;
  /// rows of the table of learned positions; 0: rotary positions
  int64_t positions = 0;
  double ropeTheta = 10000;
  double normEps = 1e-5;

  // Each is 0 or 1.
  int64_t layerNorm = 0; ///< norm with mean and bias, else root mean square
  int64_t gelu = 0;      ///< a network of two matrices with biases, else silu(w1 x) * w3 x
  int64_t qkNorm = 0;    ///< the queries and keys of each head are normalized
  int64_t tied = 0;      ///< the output matrix is the embedding

  // Mixture of experts; 0 experts: none.
  int64_t experts = 0;
  int64_t expertsPerToken = 0;
  int64_t expertDim = 0;
  /// used by every token
  int64_t sharedExperts = 0;
  /// first layers that are dense
  int64_t denseLayers = 0;

  // Latent attention (DeepSeek); kvRank 0: none.
  int64_t kvRank = 0;
  int64_t nopeDim = 0;
  int64_t ropeDim = 0;
  int64_t valueDim = 0;

  /// Sets another number of heads for the same width; never fewer than the heads of keys and values.
  void setHeads(int64_t number);
  [[nodiscard]] bool isMoe(int64_t layer) const { return experts > 0 && layer >= denseLayers; }
  [[nodiscard]] bool isLatent() const { return kvRank > 0; }
};

struct ModelPreset {
  ModelConfig config;
  /// where the sizes are published
  std::string source;
};
/// Returns the presets by name.
[[nodiscard]] llvm::ArrayRef<ModelPreset> modelPresets();
[[nodiscard]] std::vector<std::string> modelNames();
/// Returns null if there is none.
[[nodiscard]] const ModelPreset *findModel(llvm::StringRef name);

/// Sets the width and scales the sizes that are proportional to it: the number of heads stays, and their features and
/// the networks shrink or grow. Returns an error if the heads do not divide the width.
[[nodiscard]] llvm::Error setWidth(ModelConfig &config, int64_t dim);

/// Reads a file that changes `preset`, or the preset that its "model" names (neither: the file gives all sizes).
[[nodiscard]] llvm::Expected<ModelConfig> readModelConfig(const SourceText &source, llvm::StringRef preset = "");
/// Checks that the sizes make a complete model.
[[nodiscard]] llvm::Error checkConfig(const ModelConfig &config);

} // namespace ccgraph::models
