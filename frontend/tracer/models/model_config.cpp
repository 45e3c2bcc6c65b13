#include "models/model_config.h"

#include "models/model_keys.h"
#include "models/refusal.h"

#include "ccgraph/ir/internal/names.h"
#include "ccgraph/ir/text.h"

#include <cmath>

namespace ccgraph::models {
namespace {

ModelConfig llama(std::string name, int64_t layers, int64_t dim, int64_t heads, int64_t ffnDim) {
  return {.name = std::move(name),
          .dim = dim,
          .layers = layers,
          .heads = heads,
          .kvHeads = 8,
          .headDim = dim / heads,
          .ffnDim = ffnDim,
          .vocab = 128256,
          .ropeTheta = 500000};
}

ModelConfig qwen() {
  return {.name = "qwen3-14b",
          .dim = 5120,
          .layers = 40,
          .heads = 40,
          .kvHeads = 8,
          .headDim = 128,
          .ffnDim = 17408,
          .vocab = 151936,
          .ropeTheta = 1e6,
          .normEps = 1e-6,
          .qkNorm = 1};
}

ModelConfig gpt2() {
  return {.name = "gpt2-xl",
          .dim = 1600,
          .layers = 48,
          .heads = 25,
          .kvHeads = 25,
          .headDim = 64,
          .ffnDim = 6400,
          .vocab = 50257,
          .positions = 1024,
          .layerNorm = 1,
          .gelu = 1,
          .tied = 1};
}

ModelConfig mixtral() {
  return {.name = "mixtral-8x7b",
          .dim = 4096,
          .layers = 32,
          .heads = 32,
          .kvHeads = 8,
          .headDim = 128,
          .ffnDim = 14336,
          .vocab = 32000,
          .ropeTheta = 1e6,
          .experts = 8,
          .expertsPerToken = 2,
          .expertDim = 14336};
}

ModelConfig deepseek() {
  return {.name = "deepseek-v3-16b",
          .dim = 2048,
          .layers = 27,
          .heads = 16,
          .kvHeads = 16,
          .headDim = 192,
          .ffnDim = 10944,
          .vocab = 102400,
          .experts = 64,
          .expertsPerToken = 6,
          .expertDim = 1408,
          .sharedExperts = 2,
          .denseLayers = 1,
          .kvRank = 512,
          .nopeDim = 128,
          .ropeDim = 64,
          .valueDim = 128};
}

std::vector<ModelPreset> makePresets() {
  const char *llama3 = "A. Grattafiori et al., \"The Llama 3 Herd of Models\" (2024), table 3";
  return {
      {deepseek(), "torchtitan's deepseek_v3 \"16B\"; DeepSeek-AI, \"DeepSeek-V2\" (2024), appendix B, V2-Lite"},
      {gpt2(), "A. Radford et al., \"Language Models are Unsupervised Multitask Learners\" (2019), table 2"},
      {llama("llama3-405b", 126, 16384, 128, 53248), llama3},
      {llama("llama3-70b", 80, 8192, 64, 28672), llama3},
      {llama("llama3-8b", 32, 4096, 32, 14336), llama3},
      {mixtral(), "A. Jiang et al., \"Mixtral of Experts\" (2024), table 1"},
      {qwen(), "A. Yang et al., \"Qwen3 Technical Report\" (2025), table 1, and the published config.json"},
  };
}

/// Scales to a multiple of 8, so that it can be divided over tensor ranks. A size that is too large is rejected later.
int64_t scaled(int64_t size, int64_t to, int64_t from) {
  constexpr double most = 1e12;
  double exact = static_cast<double>(size) * static_cast<double>(to) / static_cast<double>(from);
  return (static_cast<int64_t>(std::min(exact, most)) + (size == 0 ? 0 : 7)) / 8 * 8;
}

} // namespace

llvm::ArrayRef<ModelPreset> modelPresets() {
  static const std::vector<ModelPreset> presets = makePresets();
  return presets;
}

std::vector<std::string> modelNames() {
  std::vector<std::string> names;
  for (const ModelPreset &preset : modelPresets())
    names.push_back(preset.config.name);
  return names;
}

const ModelPreset *findModel(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(modelPresets(), [&](const ModelPreset &preset) { return preset.config.name == name; });
  return found == modelPresets().end() ? nullptr : found;
}

void ModelConfig::setHeads(int64_t number) {
  kvHeads = std::min(kvHeads == heads ? number : kvHeads, number);
  heads = number;
  if (!isLatent())
    headDim = std::max<int64_t>(1, dim / heads);
}

llvm::Error setWidth(ModelConfig &config, int64_t dim) {
  // Rotary positions rotate pairs of features, so each head needs an even number of features.
  if (dim % (2 * config.heads) != 0)
    return refusal("gen.width", config.name,
                   "a width of " + std::to_string(dim) + " does not split into pairs of features for " +
                       std::to_string(config.heads) + " heads; expected a multiple of " +
                       std::to_string(2 * config.heads),
                   "--heads sets another number of heads");
  int64_t was = config.dim;
  for (int64_t *size :
       {&config.ffnDim, &config.expertDim, &config.kvRank, &config.nopeDim, &config.ropeDim, &config.valueDim})
    *size = scaled(*size, dim, was);
  config.headDim = config.isLatent() ? config.nopeDim + config.ropeDim : dim / config.heads;
  config.dim = dim;
  return llvm::Error::success();
}

llvm::Error checkConfig(const ModelConfig &config) {
  if (config.name.empty() || !isOneLine(config.name))
    return refusal("gen.model", "model",
                   "its name is '" + visibleText(config.name) + "', expected one line without control characters",
                   "the graph has the same name");
  for (const ModelKey &key : modelKeys())
    if (key.count && key.leastOf(config) > config.*key.count)
      return refusal("gen.model", config.name,
                     "\"" + key.name.str() + "\" is " + std::to_string(config.*key.count) + ", expected " +
                         std::to_string(key.leastOf(config)) + " or more",
                     "a file over a preset has its sizes: {\"model\": \"llama3-8b\", ...}");
  // Rotary positions rotate pairs of features.
  if (int64_t features = config.isLatent() ? config.ropeDim : config.headDim;
      config.positions == 0 && features % 2 != 0)
    return refusal("gen.model", config.name,
                   std::to_string(features) + " features of a head have positions; expected an even number",
                   "\"head_dim\", or \"rope_dim\" of latent attention, sets them; \"positions\" makes them learned");
  return llvm::Error::success();
}

} // namespace ccgraph::models
