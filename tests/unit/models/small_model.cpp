#include "small_model.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/passes/pass_manager.h"
#include "support/rank_program.h"
#include "support/seeded_run.h"

#include "llvm/Support/xxhash.h"

namespace ccgraph::test {

using models::GenerateRequest;
using models::ModelConfig;
using models::Optimizer;
using models::Part;

Numbers Numbers::rowsFrom(int64_t first, int64_t count) const {
  Numbers part{sizes, {}};
  part.sizes.front() = count;
  const int64_t width = rows() == 0 ? 0 : static_cast<int64_t>(values.size()) / rows();
  for (int64_t i = first * width; i != (first + count) * width; ++i)
    part.values.push_back(i < static_cast<int64_t>(values.size()) ? values[static_cast<size_t>(i)] : 0);
  return part;
}

Numbers Numbers::columnPart(int64_t part, int64_t parts) const {
  Numbers columns{{sizes[0], sizes[1] / parts}, {}};
  for (int64_t row = 0; row != sizes[0]; ++row)
    for (int64_t i = 0; i != columns.sizes[1]; ++i)
      columns.values.push_back(values[static_cast<size_t>(row * sizes[1] + part * columns.sizes[1] + i)]);
  return columns;
}

Numbers below(const std::vector<Numbers> &tensors) {
  Numbers all{tensors.front().sizes, {}};
  all.sizes.front() = 0;
  for (const Numbers &tensor : tensors) {
    all.sizes.front() += tensor.rows();
    all.values.insert(all.values.end(), tensor.values.begin(), tensor.values.end());
  }
  return all;
}

ModelConfig smallConfig(llvm::StringRef name) {
  ModelConfig model = models::findModel(name)->config;
  model.layers = 2;
  model.vocab = 32;
  model.setHeads(4);
  model.kvHeads = 4;
  llvm::cantFail(models::setWidth(model, 32));
  model.ffnDim = 24;
  model.positions = model.positions == 0 ? 0 : 16;
  if (model.experts > 0) {
    model.experts = 4;
    model.expertsPerToken = 2;
    model.expertDim = 8;
  }
  return model;
}

namespace {

/// Returns a number in [-1, 1) that depends only on the name and the position.
double pseudoRandom(const std::string &name, size_t place) {
  uint64_t hash = llvm::xxHash64(name + "/" + std::to_string(place));
  return static_cast<double>(hash >> 11) / static_cast<double>(uint64_t{1} << 52) - 1;
}

/// Returns true for a placeholder that is neither data nor optimizer state.
bool isParameter(llvm::StringRef name) {
  bool isWeight = name.endswith("_weight") || name.endswith("_bias") || name.contains("moe_experts_");
  return isWeight && !name.contains("_of_");
}

bool endsWith(llvm::StringRef name, llvm::StringRef part) { return name.endswith(("_" + part).str()); }

} // namespace

Numbers piecesOf(const Numbers &sequences, int64_t rank, int64_t ranks) {
  if (ranks == 1)
    return sequences;
  const Numbers first = sequences.columnPart(rank, 2 * ranks);
  const Numbers second = sequences.columnPart(2 * ranks - 1 - rank, 2 * ranks);
  Numbers both{{sequences.sizes[0], 2 * first.sizes[1]}, {}};
  for (int64_t row = 0; row != both.rows(); ++row)
    for (const Numbers *part : {&first, &second})
      for (double value : part->rowsFrom(row, 1).values)
        both.values.push_back(value);
  return both;
}

SmallModel::SmallModel(GenerateRequest request) : request_(std::move(request)) {
  request_.device = "cpu";
  request_.dtype = DType::F32;
  request_.shape.batch /= request_.parallel.sequenceRanks();
  const int64_t world = request_.parallel.world();
  for (int64_t rank = 0; rank != (request_.parallel.isOfOneRank() ? world : 1); ++rank) {
    GenerateRequest one = request_;
    if (request_.parallel.isOfOneRank())
      one.rank = rank;
    graphs_.push_back(llvm::cantFail(models::generate(context_, one)));
    run_.graphs.push_back(graphs_.back().get());
  }
  run_.ranks = static_cast<size_t>(world);
  for (int64_t rank = 0; rank != world; ++rank) {
    TensorMap &inputs = run_.inputs.emplace_back();
    for (const Node *node : graph(static_cast<size_t>(rank)))
      if (node->opcode() == Opcode::Placeholder) {
        std::string name = node->name().str().str();
        Numbers value = initial(name, *node, rank);
        inputs["in." + name] = hostTensor(node->type()->dtype(), value.sizes, value.values);
        if (rank == 0 && isParameter(name))
          parameters_.push_back(name);
      }
  }
}

// Computes the sizes of the whole tensor by inverting partOf.
Numbers SmallModel::wholeOf(const std::string &name, const Node &placeholder) const {
  IntList stored = *staticDims(placeholder.type()->sizes());
  Numbers whole{{stored.begin(), stored.end()}, {}};
  if (name == "tokens" || name == "targets") {
    whole.sizes.front() *= parallel().sequenceRanks();
    whole.sizes[1] *= parallel().context;
  } else if (!whole.sizes.empty()) {
    // There are rows for any distribution: only the first are used, and they do not depend on the number of rows.
    whole.sizes.front() *= parallel().shards * parallel().tensor;
    const bool hasPartOfExperts = parallel().experts == 1 && endsWith(name, "experts_w2");
    if (endsWith(name, "wo_weight") || endsWith(name, "w2_weight") || endsWith(name, "proj_weight") || hasPartOfExperts)
      whole.sizes[1] *= parallel().tensor;
  }
  int64_t count = productOf(whole.sizes);
  for (int64_t i = 0; i != count; ++i) {
    auto place = static_cast<size_t>(i);
    double number = pseudoRandom(name, place);
    if (placeholder.type()->dtype() == DType::I64)
      number = static_cast<double>(static_cast<int64_t>((number + 1) / 2 * static_cast<double>(request_.model.vocab)));
    else if (llvm::StringRef(name).contains("_of_") || name == "optimizer_step")
      number = 0;
    else if (endsWith(name, "norm_weight") || name == "norm_weight")
      number = 1 + 0.1 * number;
    else
      number *= 0.3;
    whole.values.push_back(number);
  }
  return whole;
}

Numbers SmallModel::initial(const std::string &name, const Node &placeholder, int64_t rank) const {
  Numbers whole = wholeOf(name, placeholder);
  if (whole.sizes.empty())
    return whole;
  if (name == "tokens" || name == "targets") {
    const int64_t batch = request_.shape.batch, context = parallel().context, data = rank / parallel().tensor;
    return piecesOf(whole.rowsFrom(data / context * batch, batch), data % context, context);
  }
  IntList stored = *staticDims(placeholder.type()->sizes());
  Numbers part = partOf(name, whole, rank);
  return part.rowsFrom(0, stored.front());
}

// Divides a tensor over the tensor ranks as the blocks do: heads, features and words are rows of weights that produce
// them, and columns of weights that read them.
Numbers SmallModel::tensorPart(const std::string &name, const Numbers &whole, int64_t rank) const {
  const int64_t ranks = parallel().tensor;
  const ModelConfig &model = request_.model;
  if (ranks == 1)
    return whole;
  if (endsWith(name, "wqkv_weight") || endsWith(name, "wqkv_bias")) {
    std::vector<Numbers> parts;
    int64_t first = 0;
    for (int64_t heads : {model.heads, model.kvHeads, model.kvHeads}) {
      int64_t rows = heads * model.headDim;
      parts.push_back(whole.rowsFrom(first + rank * (rows / ranks), rows / ranks));
      first += rows;
    }
    return below(parts);
  }
  if (endsWith(name, "wo_weight") || endsWith(name, "w2_weight") || endsWith(name, "proj_weight") ||
      endsWith(name, "experts_w2"))
    return whole.columnPart(rank, ranks);
  // The rows of all experts are stored one after the other.
  if (endsWith(name, "experts_w1") || endsWith(name, "experts_w3")) {
    std::vector<Numbers> parts;
    for (int64_t expert = 0; expert != model.experts; ++expert)
      parts.push_back(
          whole.rowsFrom(expert * model.expertDim + rank * (model.expertDim / ranks), model.expertDim / ranks));
    return below(parts);
  }
  for (llvm::StringRef split : {"w1_weight", "w3_weight", "fc_weight", "fc_bias"})
    if (endsWith(name, split))
      return whole.rowsFrom(rank * (model.ffnDim / ranks), model.ffnDim / ranks);
  if (name == "tok_embeddings_weight" || name == "lm_head_weight")
    return whole.rowsFrom(rank * (model.vocab / ranks), model.vocab / ranks);
  return whole;
}

Numbers SmallModel::partOf(const std::string &name, const Numbers &whole, int64_t rank) const {
  if (parallel().experts > 1 && llvm::StringRef(name).contains("moe_experts_"))
    return expertPart(name, whole, rank);
  const int64_t tensor = parallel().tensor, shards = parallel().shards;
  Numbers mine = tensorPart(name, whole, rank % tensor);
  const Node *placeholder = graph(static_cast<size_t>(rank)).find(name);
  const int64_t rows = staticDims(placeholder->type()->sizes())->front();
  return mine.rowsFrom(rank / tensor % shards * rows, rows);
}

// Neighboring ranks have consecutive experts.
Numbers SmallModel::expertPart(const std::string &name, const Numbers &whole, int64_t rank) const {
  const ModelConfig &model = request_.model;
  const int64_t rowsOfExpert = endsWith(name, "w2") ? model.dim : model.expertDim;
  const int64_t rows = model.experts / parallel().experts * rowsOfExpert;
  const int64_t stored = rows / parallel().expertShards();
  const int64_t shard = rank % (parallel().shards * parallel().tensor);
  return whole.rowsFrom(shard % parallel().experts * rows + shard / parallel().experts * stored, stored);
}

void SmallModel::keepResults(const runtime::RunResult &results) {
  if (request_.part != Part::Step)
    return;
  const size_t count = parameters_.size();
  for (size_t rank = 0; rank != results.size(); ++rank) {
    auto keep = [&](const std::string &input, size_t output) {
      run_.inputs[rank]["in." + input] = results[rank].at("out." + std::to_string(output));
    };
    for (size_t i = 0; i != count; ++i) {
      keep(parameters_[i], 1 + i);
      if (request_.optimizer != Optimizer::AdamW)
        continue;
      keep("average_of_" + parameters_[i], 1 + count + i);
      keep("square_of_" + parameters_[i], 1 + 2 * count + i);
    }
    if (request_.optimizer == Optimizer::AdamW)
      keep("optimizer_step", 1 + 3 * count);
  }
}

SmallModel::Results SmallModel::run() {
  runtime::RunResult outputs = llvm::cantFail(runtime::interpret(run_));
  Results results;
  for (const TensorMap &ofRank : outputs) {
    auto &named = results.emplace_back();
    auto numbers = [&](size_t index) {
      const HostTensor &tensor = ofRank.at("out." + std::to_string(index));
      return Numbers{{tensor.sizes.begin(), tensor.sizes.end()}, numbersOf(tensor)};
    };
    named["loss"] = numbers(0);
    for (size_t i = 0; i != parameters_.size(); ++i)
      named[parameters_[i]] = numbers(1 + i);
  }
  keepResults(outputs);
  return results;
}

double SmallModel::lossAt(const std::string &parameter, const Numbers &direction, double step) const {
  runtime::RunRequest moved = run_;
  HostTensor &tensor = moved.inputs.front().at("in." + parameter);
  std::vector<double> values = numbersOf(tensor);
  for (size_t i = 0; i != values.size(); ++i)
    values[i] += step * direction.values[i];
  tensor = hostTensor(tensor.dtype, direction.sizes, values);
  return numbersOf(llvm::cantFail(runtime::interpret(moved)).front().at("out.0")).front();
}

double SmallModel::loss(const Results &results) const {
  double sum = 0;
  for (size_t rank = 0; rank < results.size(); rank += static_cast<size_t>(parallel().tensor))
    sum += results[rank].at("loss").values.front();
  return sum;
}

namespace {

/// As differencesAfterO2(), for any pipeline. With `mustChange`, its last pass must change every program.
std::string differencesAfter(const SmallModel &model, const Pipeline &pipeline, bool mustChange) {
  std::vector<std::unique_ptr<Graph>> after;
  std::vector<const Graph *> rewritten;
  for (const Graph *before : model.request().graphs) {
    rewritten.push_back(after.emplace_back(before->clone()).get());
    llvm::Expected<PipelineRun> run = runPipeline(*after.back(), pipeline);
    if (!run)
      return llvm::toString(run.takeError());
    if (mustChange && run->passes.back().changed == Changed::No)
      return run->passes.back().pass + " changed nothing";
  }
  const runtime::EquivalenceReport report = runtime::checkEquivalence(model.request(), rewritten, {});
  return report.verdict == runtime::Verdict::Equal ? "" : "not equal: " + differencesIn(report);
}

} // namespace

std::string differencesAfterO2(const SmallModel &model) { return differencesAfter(model, pipelineOfLevel(2), false); }

std::string differencesInPieces(const SmallModel &model) {
  return differencesAfter(model, llvm::cantFail(Pipeline::parse("chunk-collectives{pieces=2}")), true);
}

} // namespace ccgraph::test
