#include "models/model_config.h"
#include "models/model_keys.h"
#include "models/refusal.h"

#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

namespace ccgraph::models {
namespace {

using Json = nlohmann::ordered_json;

bool hasExperts(const ModelConfig &config) { return config.experts > 0; }
bool isLatent(const ModelConfig &config) { return config.isLatent(); }

/// A property that a model has (1) or does not have (0).
constexpr ModelKey isOrIsNot(llvm::StringLiteral name, int64_t ModelConfig::*count) {
  return {.name = name, .count = count, .number = nullptr, .most = 1};
}

constexpr ModelKey keys[] = {
    {"dim", &ModelConfig::dim, nullptr, 1},
    {"layers", &ModelConfig::layers, nullptr, 1},
    {"heads", &ModelConfig::heads, nullptr, 1},
    {"kv_heads", &ModelConfig::kvHeads, nullptr, 1},
    {"head_dim", &ModelConfig::headDim, nullptr, 1},
    {"ffn_dim", &ModelConfig::ffnDim, nullptr, 1},
    {"vocab", &ModelConfig::vocab, nullptr, 1},
    {"positions", &ModelConfig::positions, nullptr},
    {"rope_theta", nullptr, &ModelConfig::ropeTheta},
    {"norm_eps", nullptr, &ModelConfig::normEps},
    isOrIsNot("layer_norm", &ModelConfig::layerNorm),
    isOrIsNot("gelu", &ModelConfig::gelu),
    isOrIsNot("qk_norm", &ModelConfig::qkNorm),
    isOrIsNot("tied", &ModelConfig::tied),
    {"experts", &ModelConfig::experts, nullptr},
    {"experts_per_token", &ModelConfig::expertsPerToken, nullptr, 1, hasExperts},
    {"expert_dim", &ModelConfig::expertDim, nullptr, 1, hasExperts},
    {"shared_experts", &ModelConfig::sharedExperts, nullptr},
    {"dense_layers", &ModelConfig::denseLayers, nullptr},
    {"kv_rank", &ModelConfig::kvRank, nullptr},
    {"nope_dim", &ModelConfig::nopeDim, nullptr, 1, isLatent},
    {"rope_dim", &ModelConfig::ropeDim, nullptr, 1, isLatent},
    {"value_dim", &ModelConfig::valueDim, nullptr, 1, isLatent},
};

std::string keyNames() {
  std::string names = "model, name";
  for (const ModelKey &key : keys)
    names += (", " + key.name).str();
  return names;
}

llvm::Error wrongValue(llvm::StringRef file, const std::string &key, const Json &value, llvm::StringRef expected) {
  return refusal("gen.model-file", file, "\"" + key + "\" is " + value.dump() + ", expected " + expected.str(),
                 "sizes are whole numbers; rope_theta and norm_eps are numbers");
}

llvm::Error setKey(ModelConfig &config, const std::string &name, const Json &value, llvm::StringRef file) {
  const auto *key = llvm::find_if(keys, [&](const ModelKey &known) { return known.name == name; });
  if (key == std::end(keys))
    return refusal("gen.model-file", file, "has the key \"" + name + "\", expected one of " + keyNames(),
                   "docs/generator.md describes each");
  if (key->number) {
    if (!value.is_number() || value.get<double>() <= 0)
      return wrongValue(file, name, value, "a number above 0");
    config.*key->number = value.get<double>();
    return llvm::Error::success();
  }
  if (!value.is_number_integer() || value.get<int64_t>() < 0 || value.get<int64_t>() > key->most)
    return wrongValue(file, name, value, key->most == 1 ? "0 or 1" : "a whole number from 0 on");
  config.*key->count = value.get<int64_t>();
  return llvm::Error::success();
}

llvm::Expected<ModelConfig> presetOf(const Json &object, llvm::StringRef file, llvm::StringRef named) {
  if (const ModelPreset *preset = findModel(named))
    return preset->config;
  auto model = object.find("model");
  if (model == object.end())
    return ModelConfig{.name = "model"};
  const ModelPreset *preset = model->is_string() ? findModel(model->get<std::string>()) : nullptr;
  if (preset)
    return preset->config;
  return wrongValue(file, "model", *model, "one of " + llvm::join(modelNames(), ", "));
}

} // namespace

llvm::ArrayRef<ModelKey> modelKeys() { return keys; }

llvm::Expected<ModelConfig> readModelConfig(const SourceText &source, llvm::StringRef preset) {
  Json object = Json::parse(source.text.begin(), source.text.end(), nullptr, false);
  if (!object.is_object())
    return refusal("gen.model-file", source.name, "is no JSON object",
                   "sizes over a preset are written as {\"model\": \"llama3-8b\", \"layers\": 4}");
  llvm::Expected<ModelConfig> config = presetOf(object, source.name, preset);
  if (!config)
    return config;
  for (const auto &[key, value] : object.items()) {
    if (key == "model")
      continue;
    if (key == "name" && value.is_string())
      config->name = value.get<std::string>();
    else if (llvm::Error error = setKey(*config, key, value, source.name))
      return error;
  }
  if (llvm::Error error = checkConfig(*config))
    return error;
  return config;
}

} // namespace ccgraph::models
