#include "driver/gen_driver.h"

#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/frontend/json_graph.h"
#include "driver/gen_options.h"
#include "driver/gen_pipeline.h"
#include "driver/gen_plan.h"

#include "llvm/Support/FormatVariadic.h"

namespace ccgraph::driver {
namespace {

using models::ModelConfig;

void listModels(llvm::raw_ostream &os) {
  os << llvm::formatv("{0,-16} {1,6} {2,6} {3,6} {4,7} {5,8}\n", "model", "layers", "dim", "heads", "experts", "vocab");
  for (const models::ModelPreset &preset : models::modelPresets()) {
    const ModelConfig &model = preset.config;
    os << llvm::formatv("{0,-16} {1,6} {2,6} {3,6} {4,7} {5,8}\n", model.name, model.layers, model.dim, model.heads,
                        model.experts, model.vocab)
       << "    " << preset.source << '\n';
  }
}

/// Returns the model's sizes, overridden by those of the file.
llvm::Expected<ModelConfig> configOf(const GenOptions &options) {
  if (options.config.empty())
    return models::findModel(options.model)->config;
  llvm::Expected<InputFile> file = InputFile::open(options.config);
  if (!file)
    return file.takeError();
  return models::readModelConfig(file->source(), options.model);
}

llvm::Expected<ModelConfig> sizedModel(const GenOptions &options) {
  llvm::Expected<ModelConfig> model = configOf(options);
  if (!model)
    return model;
  if (options.heads != 0)
    model->setHeads(options.heads);
  if (options.dim != 0)
    if (llvm::Error error = setWidth(*model, options.dim))
      return error;
  for (auto [given, size] : {std::pair(options.layers, &model->layers),
                             {options.kvHeads, &model->kvHeads},
                             {options.ffnDim, &model->ffnDim},
                             {options.vocab, &model->vocab}})
    if (given != 0)
      *size = given;
  return model;
}

llvm::Error writeGraph(const GenOptions &options, const Graph &graph, llvm::raw_ostream &out) {
  auto write = [&](llvm::raw_ostream &os) {
    return options.writesFxText() ? writeFxText(os, graph) : writeCheckedJsonGraph(os, graph);
  };
  return options.output.empty() || options.output == "-" ? write(out) : writeFile(options.output, write);
}

llvm::Error generateAndWrite(GenOptions &options, Streams streams) {
  llvm::raw_ostream &out = streams.out;
  if (options.writesSchedule())
    return writeSchedule(options, out);
  llvm::Expected<ModelConfig> model = sizedModel(options);
  if (!model)
    return model.takeError();
  options.request.model = std::move(*model);
  constexpr int64_t usualSequence = 8192;
  int64_t &sequence = options.request.shape.sequence;
  if (sequence == 0)
    sequence = options.request.model.positions > 0 ? options.request.model.positions : usualSequence;
  if (options.plan.isPlan)
    return writePlan(options, streams);
  if (options.isPipeline())
    return writePipeline(options);
  Context context;
  llvm::Expected<std::unique_ptr<Graph>> graph = models::generate(context, options.request);
  return graph ? writeGraph(options, **graph, out) : graph.takeError();
}

} // namespace

ExitCode genMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  GenOptions options;
  CommandLine line = genCommandLine(options);
  if (llvm::Error error = parseGenOptions(line, options, arguments))
    return rejectUsage(streams, std::move(error));
  if (auto code = answerCommonFlags(line, {"ccgraph-gen", options.help, options.version}, streams))
    return *code;
  if (options.listModels) {
    listModels(streams.out);
    return ExitCode::Ok;
  }
  if (llvm::Error error = generateAndWrite(options, streams)) {
    printError(streams.err, std::move(error));
    return ExitCode::Diagnosed;
  }
  return ExitCode::Ok;
}

} // namespace ccgraph::driver
