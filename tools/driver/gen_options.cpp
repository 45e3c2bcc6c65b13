#include "driver/gen_options.h"

#include "ccgraph/ir/text.h"
#include "driver/output_paths.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::driver {
namespace {

using models::Optimizer;
using models::Part;

llvm::Error usage(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// The largest accepted size; products of larger sizes would overflow.
constexpr int64_t largestSize = int64_t{1} << 40;

/// Adds a flag that takes a size from 1 to largestSize.
void addSize(CommandLine &line, llvm::StringRef name, llvm::StringRef help, int64_t &size) {
  line.add({name.str(), "N", help.str(), [name = name.str(), &size](llvm::StringRef text) -> llvm::Error {
              int64_t value = 0;
              if (text.getAsInteger(10, value) || value < 1 || value > largestSize)
                return badValue(name, text, "a whole number from 1 to 2^40");
              size = value;
              return llvm::Error::success();
            }});
}

/// A flag whose value is one of a few words.
template <typename T>
void addChoice(CommandLine &line, llvm::StringRef name, llvm::StringRef help,
               std::vector<std::pair<std::string, T>> choices, T &choice) {
  std::vector<std::string> words;
  for (const auto &[word, value] : choices)
    words.push_back(word);
  line.add(
      {name.str(), "NAME", help.str(), [=, &choice, choices = std::move(choices)](llvm::StringRef text) -> llvm::Error {
         for (const auto &[word, value] : choices)
           if (text == word) {
             choice = value;
             return llvm::Error::success();
           }
         return badValue(name, text, "one of: " + llvm::join(words, ", "));
       }});
  line.chooseFrom(words);
}

void addParallelism(CommandLine &line, GenOptions &options) {
  models::Parallelism &parallel = options.request.parallel;
  addSize(line, "--fsdp",
          "fully sharded data parallel ranks: each weight is sharded by rows, each rank has its own tokens (1)",
          parallel.shards);
  addSize(line, "--tp",
          "tensor parallel ranks: heads, features and vocabulary are sharded, and the sequence between blocks (1)",
          parallel.tensor);
  addSize(line, "--ep", "expert parallel ranks, a part of --fsdp: the experts are sharded (1)", parallel.experts);
  addSize(line, "--ddp", "data parallel ranks: each rank has all weights and its own tokens (1)", options.ddp);
  line.addText("--hook", "NAME",
               "reduce the gradients of replicas by a hook in DDP's buckets: allreduce, bf16, powersgd, ..",
               options.request.hook);
  line.chooseFrom(models::stepHooks());
  line.addCount("--zero", "STAGE", "1: the optimizer of a step is sharded over the replicas (0)", 0,
                [&options](size_t stage) { options.zero = stage; });
  line.add({"--hsdp", "RxS", "R replicas of S ranks that shard each weight",
            [&parallel](llvm::StringRef text) -> llvm::Error {
              auto [copies, shards] = text.split('x');
              int64_t r = 0, s = 0;
              if (copies.getAsInteger(10, r) || shards.getAsInteger(10, s) || r < 1 || s < 1)
                return badValue("--hsdp", text, "two whole numbers from 1 on, as in 4x8");
              parallel.replicas = r;
              parallel.shards = s;
              return llvm::Error::success();
            }});
}

void addProgram(CommandLine &line, GenOptions &options) {
  models::GenerateRequest &request = options.request;
  addSize(line, "--seq", "tokens of a sequence (8192, or as many as the model has positions)", request.shape.sequence);
  addSize(line, "--batch", "sequences of one rank (1)", request.shape.batch);
  addChoice<Part>(
      line, "--part",
      "joint: loss and gradients (default); step: with the optimizer; forward or backward: one of the two",
      {{"joint", Part::Joint}, {"forward", Part::Forward}, {"backward", Part::Backward}, {"step", Part::Step}},
      request.part);
  addChoice<Optimizer>(line, "--optimizer", "of a step: adamw (default), sgd or none",
                       {{"adamw", Optimizer::AdamW}, {"sgd", Optimizer::Sgd}, {"none", Optimizer::None}},
                       request.optimizer);
  line.add({"--lr", "RATE", "learning rate (0.0003)", [&request](llvm::StringRef text) -> llvm::Error {
              if (text.getAsDouble(request.learningRate) || !(request.learningRate > 0))
                return badValue("--lr", text, "a number above 0");
              return llvm::Error::success();
            }});
  addChoice<DType>(line, "--dtype", "dtype of the computation: bf16 (default), f16, f32 or f64; weights are f32",
                   {{"bf16", DType::BF16}, {"f16", DType::F16}, {"f32", DType::F32}, {"f64", DType::F64}},
                   request.dtype);
  addSize(line, "--loss-chunks", "number of chunks of the sequence whose losses are computed in turn (1)",
          request.shape.lossChunks);
  line.add({"--device", "NAME", "device of all tensors (cuda:0)", [&request](llvm::StringRef text) -> llvm::Error {
              if (!models::isDeviceOfPyTorch(text))
                return badValue("--device", text,
                                "a device of PyTorch with an index up to 127, as cpu, cuda:0 or xpu:1");
              request.device = text.str();
              return llvm::Error::success();
            }});
  line.addCount("--rank", "R", "rank whose graph is written, if the graphs of ranks differ (0)", 0,
                [&request](size_t rank) { request.rank = static_cast<int64_t>(rank); });
}

void addPipeline(CommandLine &line, GenOptions &options) {
  models::PipelineRequest &pipeline = options.pipeline;
  line.beginTopic("pipeline", "pipelines of stages",
                  "-o names a folder: a graph for each rank of the pipeline, job.json, groups.json and schedule.csv.");
  addSize(line, "--pp", "ranks of the pipeline; each of them is as many ranks as the other flags make", pipeline.ranks);
  addChoice<models::PipelineKind>(line, "--schedule",
                                  "1f1b (default), gpipe, interleaved, zbv or dualpipe: order of the microbatches",
                                  models::pipelineKinds(), pipeline.kind);
  addSize(line, "--microbatches", "microbatches of a step, each of --batch sequences (twice the stages)",
          pipeline.microbatches);
  addSize(line, "--stages-per-rank", "stages of a rank, of --schedule interleaved (2)", pipeline.stagesPerRank);
}

void addSizes(CommandLine &line, GenOptions &options) {
  line.beginTopic("sizes", "sizes of the model", "The default is the size of the model.");
  addSize(line, "--layers", "number of layers", options.layers);
  addSize(line, "--dim", "model width, from which the head and feed-forward sizes follow", options.dim);
  addSize(line, "--heads", "number of heads", options.heads);
  addSize(line, "--kv-heads", "number of heads of keys and values", options.kvHeads);
  addSize(line, "--ffn", "features of the feed-forward network", options.ffnDim);
  addSize(line, "--vocab", "size of the vocabulary", options.vocab);
}

} // namespace

CommandLine genCommandLine(GenOptions &options) {
  CommandLine line("ccgraph-gen MODEL [flags]",
                   "Writes the graph of one rank's training step, for a model and a parallelism of any size.");
  line.addText("-o", "FILE", "output file: JSON, or FX text for .py (default: JSON to standard output)",
               options.output);
  line.addText("--config", "FILE", "sizes of the model, which replace those of MODEL: {\"layers\": 4, \"dim\": 1024}",
               options.config);
  addParallelism(line, options);
  addProgram(line, options);
  line.addText("--emit", "FORM", "json or fx, independent of the file name; csv: the schedule of --pp", options.emit);
  line.chooseFrom({"csv", "fx", "json"});
  line.addSwitch("--list-models", "list the models, their sizes and the source of each", options.listModels);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help, or the help of a topic", options.help);
  addPipeline(line, options);
  addSizes(line, options);
  return line;
}

namespace {

llvm::Error checkTogether(const CommandLine &line, GenOptions &options) {
  auto isGiven = [&](llvm::StringRef flag) {
    return llvm::any_of(line.given(), [&](const report::GivenFlag &given) { return given.name == flag; });
  };
  if (!options.emit.empty() && options.emit != "json" && options.emit != "fx" && options.emit != "csv")
    return badValue("--emit", options.emit, "json, fx or csv");
  for (llvm::StringRef flag : {"--schedule", "--microbatches", "--stages-per-rank"})
    if (isGiven(flag) && !options.isPipeline())
      return usage(flag + " without --pp: expected --pp N, the ranks of the pipeline");
  if (options.writesSchedule() && !options.isPipeline())
    return usage("--emit csv without --pp: expected --pp N, since only a pipeline has a schedule");
  if (options.isPipeline() && isGiven("--rank"))
    return usage("--rank with --pp: expected one of them, since --pp writes the graphs of all ranks");
  constexpr int64_t mostPipelineRanks = 1024;
  if (options.pipeline.ranks > mostPipelineRanks)
    return badValue("--pp", std::to_string(options.pipeline.ranks), "at most " + std::to_string(mostPipelineRanks));
  if (isGiven("--ddp") && (isGiven("--fsdp") || isGiven("--hsdp")))
    return usage(
        "--ddp with --fsdp or --hsdp: expected one of them; copies of ranks that share weights are --hsdp RxS");
  if (isGiven("--hsdp") && isGiven("--fsdp"))
    return usage("--hsdp with --fsdp: expected one of them; --hsdp RxS states how many ranks share the weights");
  for (llvm::StringRef flag : {"--optimizer", "--lr"})
    if (isGiven(flag) && options.request.part != Part::Step)
      return usage(flag + " without --part step: expected a step, since no other part has an optimizer");
  if (options.zero > 1)
    return badValue("--zero", std::to_string(options.zero), "0 or 1");
  options.request.shardsOptimizer = options.zero == 1;
  if (isGiven("--ddp"))
    options.request.parallel.replicas = options.ddp;
  if (options.isPipeline())
    options.request.parallel.pipeline = options.pipeline.ranks;
  return llvm::Error::success();
}

} // namespace

llvm::Error parseGenOptions(CommandLine &line, GenOptions &options, llvm::ArrayRef<const char *> arguments) {
  if (llvm::Error error = line.parse(arguments))
    return error;
  if (options.help || options.version || options.listModels)
    return llvm::Error::success();
  if (llvm::Error error = checkTogether(line, options))
    return error;
  if (line.positional().size() > 1)
    return usage("expected one model, got " + visibleText(llvm::join(line.positional(), " ")));
  if (line.positional().empty() && options.config.empty() && !options.writesSchedule())
    return usage("expected a model: " + llvm::join(models::modelNames(), ", ") + "; or --config FILE");
  if (!line.positional().empty())
    options.model = line.positional().front();
  if (!options.model.empty() && !models::findModel(options.model))
    return usage("no model '" + visibleText(options.model) +
                 "', expected one of: " + llvm::join(models::modelNames(), ", "));
  if (options.isPipeline() && !options.writesSchedule())
    return options.output.empty() || options.output == "-"
               ? usage("--pp without -o: expected -o DIR, the folder for the graphs of the ranks")
               : llvm::Error::success();
  const NamedPath outputs[] = {{"-o", options.output}};
  const NamedPath inputs[] = {{"--config", options.config}};
  return checkOutputPaths(outputs, inputs);
}

} // namespace ccgraph::driver
