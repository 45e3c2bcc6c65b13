// ModelConfig: the sizes of a transformer, by which the families differ: one program makes all of them.
//
// The presets are the published configurations (modelPresets names each source). A file of a user's own has the same
// keys, over a preset: {"model": "llama3-8b", "layers": 4, "dim": 1024}.
//
// Ownership: plain values. Failure: diagnostics that name file, key, what was found and what was expected.
// Cost: none worth naming.
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
  /// fewer than heads where several heads of queries share one of keys and values
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  /// of a dense layer's feed-forward network
  int64_t ffnDim = 0;
  int64_t vocab = 0;
  /// rows of a table of learned positions; 0: rotary positions
  int64_t positions = 0;
  double ropeTheta = 10000;
  double normEps = 1e-5;

  // 0 or 1.
  int64_t layerNorm = 0; ///< with mean and bias, else the root mean square
  int64_t gelu = 0;      ///< a network of two matrices with biases, else silu(w1 x) * w3 x
  int64_t qkNorm = 0;    ///< each head's queries and keys are normalised
  int64_t tied = 0;      ///< the output matrix is the embedding

  // Mixture of experts; 0 experts: none.
  int64_t experts = 0;
  int64_t expertsPerToken = 0;
  int64_t expertDim = 0;
  /// seen by every token
  int64_t sharedExperts = 0;
  /// first layers that are dense
  int64_t denseLayers = 0;

  // Latent attention (DeepSeek); kvRank 0: none.
  int64_t kvRank = 0;
  int64_t nopeDim = 0;
  int64_t ropeDim = 0;
  int64_t valueDim = 0;

  /// Another number of heads, over the same width; never fewer than heads of keys and values.
  void setHeads(int64_t number);
  [[nodiscard]] bool isMoe(int64_t layer) const { return experts > 0 && layer >= denseLayers; }
  [[nodiscard]] bool isLatent() const { return kvRank > 0; }
};

struct ModelPreset {
  ModelConfig config;
  /// where the sizes are published
  std::string source;
};
/// By name.
[[nodiscard]] llvm::ArrayRef<ModelPreset> modelPresets();
[[nodiscard]] std::vector<std::string> modelNames();
/// Null where there is none.
[[nodiscard]] const ModelPreset *findModel(llvm::StringRef name);

/// A width of its own scales what is in proportion to it: heads keep their number, their features and the networks shrink
/// or grow. Error: a width that does not divide into the heads.
[[nodiscard]] llvm::Error setWidth(ModelConfig &config, int64_t dim);

/// What a file says, over `preset`, or the one that its "model" names (neither: all sizes are the file's).
[[nodiscard]] llvm::Expected<ModelConfig> readModelConfig(const SourceText &source, llvm::StringRef preset = "");
/// That the sizes make a model: none is missing.
[[nodiscard]] llvm::Error checkConfig(const ModelConfig &config);

} // namespace ccgraph::models
