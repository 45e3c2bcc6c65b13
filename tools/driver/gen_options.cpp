#include "driver/gen_options.h"

#include "ccgraph/ir/machine.h"
#include "ccgraph/ir/text.h"
#include "ccgraph/passes/options.h"
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
  addSize(line, "--cp",
          "context parallel ranks, a part of --fsdp, --hsdp or --ddp: each has two pieces of every sequence (1)",
          parallel.context);
  addSize(line, "--ddp", "data parallel ranks: each rank has all weights and its own tokens (1)", options.ddp);
  line.addText("--hook", "NAME",
               "reduce the gradients of replicas by a hook in DDP's buckets: allreduce, bf16, powersgd, ..",
               options.request.hook);
  line.chooseFrom(models::stepHooks());
  line.addCount("--zero", "STAGE",
                "1: the optimizer of a step is sharded over the replicas of --ddp (0); 3: the weights of --fsdp and "
                "--hsdp are gathered again for the backward pass (2)",
                0, [&options](size_t stage) { options.zero = stage; });
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
  line.add({"--clip", "NORM", "scale the gradients of a step to this norm at most (no clipping)",
            [&request](llvm::StringRef text) -> llvm::Error {
              if (text.getAsDouble(request.clipNorm) || !(request.clipNorm > 0))
                return badValue("--clip", text, "a number above 0");
              return llvm::Error::success();
            }});
  line.addSwitch("--foreach", "the optimizer has one call for all parameters, as torch.optim's foreach form",
                 request.hasForeachOptimizer);
  addChoice<DType>(line, "--dtype", "dtype of the computation: bf16 (default), f16, f32 or f64; weights are f32",
                   {{"bf16", DType::BF16}, {"f16", DType::F16}, {"f32", DType::F32}, {"f64", DType::F64}},
                   request.dtype);
  line.addSwitch("--fp8", "multiply by the weights of the blocks in float8, and gather sharded weights as float8",
                 request.hasFloat8Products);
  addChoice<models::Recompute>(line, "--recompute",
                               "what the backward pass computes again: none (default), selective, or full (all but the "
                               "input of each layer)",
                               models::recomputeChoices(), request.recompute.activations);
  addSize(line, "--accumulate", "microbatches of a step, of which this is one: gradients are added to inputs (1)",
          request.accumulation);
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

void addPlan(CommandLine &line, GenOptions &options) {
  PlanFlags &plan = options.plan;
  line.beginTopic("plan", "which parallelism is the fastest",
                  "--batch is the sequences of a whole step. Flags of parallelism and memory fix what they name.");
  line.addSwitch("--plan", "rank the parallelisms that fit by their predicted step time, instead of writing a graph",
                 plan.isPlan);
  addSize(line, "--ranks", "ranks of the job", plan.ranks);
  line.addText("--machine", "NAME",
               "machine for predicted times: " + llvm::join(machinePresetNames(), ", ") + ", or a FILE (h100x8)",
               plan.machine);
  line.chooseFrom(machinePresetNames());
  line.add({"--memory", "BYTES", "memory of one rank: 80GiB, 64GB", [&plan](llvm::StringRef text) -> llvm::Error {
              std::optional<ByteCount> bytes = OptionText<ByteCount>::parse(text);
              if (!bytes || !bytes->limit || *bytes->limit == 0)
                return badValue("--memory", text, "bytes such as 80GiB, 64GB or 1500000");
              plan.memory = *bytes->limit;
              return llvm::Error::success();
            }});
  line.addCount("--rows", "N", "how many of the best are listed (10)", 1, [&plan](size_t rows) { plan.rows = rows; });
  line.addSwitch("--exhaustive", "generate every candidate that fits, also those whose bound is too slow",
                 plan.exhaustive);
  line.addSwitch("--csv", "print the rows as CSV", plan.csv);
  line.addSwitch("--json", "print the rows as JSON", plan.json);
  line.addText("--report", "FILE", "write a page with the rows and time against memory (HTML)", plan.report);
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
  addPlan(line, options);
  addPipeline(line, options);
  addSizes(line, options);
  return line;
}

namespace {

llvm::Error takeZero(GenOptions &options) {
  constexpr size_t lastStage = 3;
  if (options.zero.value_or(0) > lastStage)
    return badValue("--zero", std::to_string(*options.zero), "a stage from 0 to 3");
  if (options.zero == 2 && options.request.parallel.shards == 1 && !options.plan.isPlan)
    return usage("--zero 2 without sharded weights: expected --fsdp or --hsdp");
  if (options.zero == 1 && options.request.parallel.shards > 1)
    return usage("--zero 1 with sharded weights: expected --ddp, or stage 2 or 3 with --fsdp and --hsdp");
  options.request.shardsOptimizer = options.zero == 1;
  options.request.recompute.gathersWeightsAgain = options.zero == lastStage;
  return llvm::Error::success();
}

llvm::Error checkPlan(const CommandLine &line, const GenOptions &options) {
  auto isGiven = [&](llvm::StringRef flag) {
    return llvm::any_of(line.given(), [&](const report::GivenFlag &given) { return given.name == flag; });
  };
  if (!options.plan.isPlan) {
    for (llvm::StringRef flag :
         {"--ranks", "--machine", "--memory", "--rows", "--exhaustive", "--csv", "--json", "--report"})
      if (isGiven(flag))
        return usage(flag + " without --plan: expected --plan, which ranks parallelisms");
    return llvm::Error::success();
  }
  for (llvm::StringRef flag : {"--part", "--accumulate", "--microbatches", "--emit", "--rank", "--hook"})
    if (isGiven(flag))
      return usage(flag + " with --plan: expected no " + flag + ", since a plan is about whole training steps");
  for (llvm::StringRef flag : {"--ranks", "--memory", "--batch"})
    if (!isGiven(flag))
      return usage("--plan without " + flag +
                   ": expected --plan --ranks N --memory BYTES --batch SEQUENCES, of a whole training step");
  if (options.plan.csv && options.plan.json)
    return usage("--csv with --json: expected one of them");
  constexpr int64_t mostRanks = 1 << 20;
  if (options.plan.ranks > mostRanks)
    return badValue("--ranks", std::to_string(options.plan.ranks), "at most " + std::to_string(mostRanks));
  return llvm::Error::success();
}

llvm::Error checkTogether(const CommandLine &line, GenOptions &options) {
  auto isGiven = [&](llvm::StringRef flag) {
    return llvm::any_of(line.given(), [&](const report::GivenFlag &given) { return given.name == flag; });
  };
  if (!options.emit.empty() && options.emit != "json" && options.emit != "fx" && options.emit != "csv")
    return badValue("--emit", options.emit, "json, fx or csv");
  for (llvm::StringRef flag : {"--schedule", "--microbatches", "--stages-per-rank"})
    if (isGiven(flag) && !options.isPipeline() && !options.plan.isPlan)
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
  if (llvm::Error error = checkPlan(line, options))
    return error;
  for (llvm::StringRef flag : {"--optimizer", "--lr", "--clip", "--foreach"})
    if (isGiven(flag) && options.request.part != Part::Step && !options.plan.isPlan)
      return usage(flag + " without --part step: expected a step, since no other part has an optimizer");
  if (llvm::Error error = takeZero(options))
    return error;
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
  if (options.isPipeline() && !options.writesSchedule() && !options.plan.isPlan)
    return options.output.empty() || options.output == "-"
               ? usage("--pp without -o: expected -o DIR, the folder for the graphs of the ranks")
               : llvm::Error::success();
  options.given = line.given().vec();
  const NamedPath outputs[] = {{"-o", options.output}, {"--report", options.plan.report}};
  const NamedPath inputs[] = {{"--config", options.config}};
  return checkOutputPaths(outputs, inputs);
}

} // namespace ccgraph::driver
