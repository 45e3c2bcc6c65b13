#include "models/transformer.h"

#include "models/vocabulary.h"

#include "ccgraph/tracer/ops.h"

namespace ccgraph::models {

using namespace tracer; // NOLINT(google-build-using-namespace): models are written in its words

namespace {

const Parameter &declareTable(const Block &block, const std::string &name) {
  Module module(block.layout, name);
  return block.layout.declare("weight", {block.model.vocab / block.layout.tensorRanks(), block.model.dim});
}

/// Adds the table of positions to the embeddings: every rank takes the rows of its part of the sequence from the whole
/// table.
Tensor withLearnedPositions(const Block &block, const Tensor &embedded) {
  if (block.model.positions == 0)
    return embedded;
  Module module(block.layout, "positions");
  Tensor table = block.layout.weight("weight", {block.model.positions, block.model.dim}, WeightKind::Shared);
  const int64_t tokens = block.shape.sequence * block.layout.contextRanks();
  Tensor rows = block.layout.rowsOfOwnPieces(slice(table, 0, 0, tokens));
  if (block.layout.tensorRanks() == 1)
    return embedded + rows;
  return embedded + chunk(rows, block.layout.tensorRanks(), 0)[block.layout.tensorRank()];
}

Tensor network(const Block &block, const Tensor &input, int64_t layer) {
  if (!block.model.isMoe(layer)) {
    Module module(block.layout, "feed_forward");
    return feedForward(block, block.layout.gatherSequence(input), block.model.ffnDim);
  }
  Module module(block.layout, "moe");
  return mixtureOfExperts(block, input);
}

Tensor transformerLayer(const Block &block, const Tensor &input, int64_t layer) {
  Module module(block.layout, "layers." + std::to_string(layer));
  Tensor forAttention = normalized(block, "attention_norm", input);
  Tensor attended =
      input + (block.model.isLatent() ? latentAttention(block, forAttention) : selfAttention(block, forAttention));
  return attended + network(block, normalized(block, "ffn_norm", attended), layer);
}

Tensor embedded(const Block &block, const Parameter &table, const Tensor &tokens) {
  Tensor states;
  {
    Module module(block.layout, "tok_embeddings");
    states = embeddedTokens(block, table, tokens);
  }
  return withLearnedPositions(block, states);
}

} // namespace

ModelPart partOfStage(const ModelConfig &model, int64_t stage, int64_t stages) {
  return {stage * model.layers / stages, (stage + 1) * model.layers / stages, stage == 0, stage + 1 == stages};
}

Block blockOf(Layout &layout, const ModelConfig &model, const BatchShape &shape) {
  Block block{layout, model, shape};
  if (model.positions == 0)
    block.rotary =
        rotaryTable(layout, shape.sequence, model.isLatent() ? model.ropeDim : model.headDim, model.ropeTheta);
  return block;
}

Tensor partForward(const Block &block, const ModelPart &part, const Tensor &input) {
  Tensor states = part.isFirst ? embedded(block, declareTable(block, "tok_embeddings"), input) : input;
  for (int64_t layer = part.firstLayer; layer != part.endLayer; ++layer)
    states = transformerLayer(block, states, layer);
  return part.isLast ? block.layout.gatherSequence(normalized(block, "norm", states)) : states;
}

const Parameter &outputMatrix(const Block &block) { return declareTable(block, "lm_head"); }

Hidden forward(Layout &layout, const ModelConfig &model, const BatchShape &shape, const Tensor &tokens) {
  Block block = blockOf(layout, model, shape);
  Tensor states = partForward(block, {0, model.layers}, tokens);
  // Tied weights: the embedding is the first parameter.
  return {states, model.tied ? layout.parameters().front().get() : &outputMatrix(block)};
}

Tensor lossSum(const Block &block, const Tensor &logitsWeight, const Tensor &states, const Tensor &targets) {
  Tensor logits;
  {
    Module module(block.layout, "lm_head");
    logits = linear(states, logitsWeight);
  }
  Module module(block.layout, "loss");
  Tensor rows = reshape(logits, {targets.numel(), logits.size(-1)});
  return crossEntropySum(block, to(rows, DType::F32), reshape(targets, {targets.numel()}));
}

} // namespace ccgraph::models
