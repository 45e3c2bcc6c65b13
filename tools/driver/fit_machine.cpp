#include "driver/fit_machine.h"

#include "ccgraph/frontend/collective_samples_file.h"
#include "ccgraph/frontend/files.h"
#include "ccgraph/frontend/machine_writer.h"
#include "ccgraph/frontend/profile_file.h"
#include "ccgraph/passes/machine_fit.h"
#include "ccgraph/toolkit/cost_files.h"
#include "ccgraph/toolkit/text.h"
#include "driver/opt_input.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

namespace ccgraph::driver {
namespace {

class MachineFitJob {
public:
  MachineFitJob(const OptOptions &options, Streams streams) : options_(options), streams_(streams) {}

  ExitCode run() {
    llvm::Error error = loadBase();
    if (!error)
      error = options_.measured.empty() ? readFiles() : explainGraph();
    if (!error && samples_.empty())
      error = noSamples();
    if (!error)
      error = write(fitMachine(std::move(samples_), base_));
    if (!error)
      return ExitCode::Ok;
    printError(streams_.err, std::move(error));
    return ExitCode::Diagnosed;
  }

private:
  /// The machine that states what is not fitted: that of --machine, else a host for traces of hosts.
  llvm::Error loadBase() {
    baseName_ = options_.pipeline.machine.empty() ? defaultMachine.str() : options_.pipeline.machine;
    if (!machinePreset(baseName_))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--fit-machine: got --machine %s, expected a preset: %s", baseName_.c_str(),
                                     llvm::join(machinePresetNames(), ", ").c_str());
    base_ = *machinePreset(baseName_);
    return llvm::Error::success();
  }

  void useHost() {
    if (!options_.pipeline.machine.empty())
      return;
    baseName_ = "cpu";
    base_ = *machinePreset(baseName_);
  }

  llvm::Error noSamples() const {
    Diagnostic diagnostic =
        diagnose("tool.fit-machine", "got no collective with its bytes and its ranks, expected some to fit",
                 "records of gloo have no bytes: give the graph of the job and --measured PATH");
    diagnostic.file = options_.timedFiles.empty() ? options_.measured.front() : options_.timedFiles.front();
    return makeError(std::move(diagnostic));
  }

  // Folders and traces of the profiler are read with all their ranks, because the rank that comes last has the time of
  // the data.
  llvm::Error readFiles() {
    std::vector<std::string> traces;
    for (const std::string &path : options_.timedFiles) {
      if (llvm::sys::fs::is_directory(path)) {
        traces.push_back(path);
        continue;
      }
      llvm::Expected<InputFile> file = InputFile::open(path);
      if (!file)
        return file.takeError();
      if (isProfile(file->text())) {
        traces.push_back(path);
        continue;
      }
      auto found = readCollectiveSamples(file->source(), base_.ranksPerNode);
      if (!found)
        return found.takeError();
      llvm::append_range(samples_, *found);
    }
    if (traces.empty())
      return llvm::Error::success();
    llvm::Expected<MeasuredFiles> files = loadMeasuredFiles(traces);
    if (!files)
      return files.takeError();
    llvm::append_range(samples_, samplesOf(files->profiles, base_.ranksPerNode));
    return llvm::Error::success();
  }

  llvm::Error explainGraph() {
    OptInput input(options_, streams_.err);
    Pipeline none;
    if (llvm::Error error = input.open(std::nullopt))
      return error;
    if (llvm::Error error = input.load(none))
      return error;
    if (llvm::Error error = input.holdDurationsTo(*input.graphs().front()))
      return error;
    if (!input.explanation()->onDevice)
      useHost();
    samples_ = samplesOf(*input.explanation(), base_.ranksPerNode);
    return llvm::Error::success();
  }

  llvm::Error write(FittedMachine fitted) {
    fitted.machine.name = options_.fitMachine;
    fitted.machine.about = "collectives fitted to measured times; the rest is that of " + baseName_;
    const bool hasInter =
        llvm::any_of(fitted.collectives, [](const auto &line) { return line.level == LinkLevel::Inter; });
    const bool toFile = !options_.output.empty() && options_.output != "-";
    printTable(toFile ? streams_.out : streams_.err, fitted);
    auto writeTo = [&](llvm::raw_ostream &os) {
      writeLinearMachine(os, {fitted.machine, baseName_, hasInter});
      return llvm::Error::success();
    };
    return toFile ? writeFile(options_.output, writeTo) : writeTo(streams_.out);
  }

  static std::string errorText(const FitErrors &errors) {
    if (errors.samples == 0)
      return "none";
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.1f %%, %.1f %% of ", errors.median * 100, errors.ninetieth * 100)
                                   << errors.samples;
    return text;
  }

  static void printTable(llvm::raw_ostream &os, const FittedMachine &fitted) {
    constexpr unsigned nameWidth = 24, errorWidth = 26;
    os << llvm::left_justify("collective", nameWidth) << "   base us   step us       GB/s  "
       << llvm::left_justify("error: median, 90 %", errorWidth) << "held out: median, 90 %\n";
    for (const FittedCollectives &line : fitted.collectives) {
      const std::string name = line.kind ? collectiveName(*line.kind).str() : "all";
      os << llvm::left_justify(name + (line.level == LinkLevel::Inter ? " across nodes" : ""), nameWidth)
         << llvm::format("%10.2f%10.2f%11.3f  ", line.baseUs, line.stepUs,
                         static_cast<double>(line.bytesPerSecond) * 1e-9)
         << llvm::left_justify(errorText(line.fitted), errorWidth) << errorText(line.heldOut) << '\n';
    }
  }

  const OptOptions &options_;
  Streams streams_;
  std::string baseName_;
  Machine base_;
  std::vector<CollectiveSample> samples_;
};

} // namespace

ExitCode runFitMachine(const OptOptions &options, Streams streams) { return MachineFitJob(options, streams).run(); }

} // namespace ccgraph::driver
