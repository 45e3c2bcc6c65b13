#include "driver/check_numerics.h"

#include "check_report/numerics_report.h"
#include "driver/check_same.h"

namespace ccgraph::driver {

namespace {

NumericsFiles numericsFilesOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths) {
  NumericsFiles files;
  files.before = options.sameAs;
  files.beforeGroups = options.sameAsGroups;
  files.after = paths.vec();
  files.groups = options.groups;
  files.ranks = options.ranks;
  files.placements = options.placements;
  files.order = options.engine.empty() || options.engine == "any" ? numerics::SumOrder::Any : numerics::SumOrder::Ranks;
  return files;
}

} // namespace

llvm::Expected<ExitCode> checkNumericsOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                         Streams streams) {
  Diagnostics warnings;
  llvm::Expected<NumericsAnswer> answer =
      compareNumericsOfFiles(numericsFilesOf(options, paths), formFilesOf(options, paths), warnings);
  streams.err << toString(warnings.take());
  if (!answer)
    return answer.takeError();
  (options.json ? report::writeNumericsJson : report::writeNumericsText)(streams.out, *answer);
  const std::optional<bool> equal = answer->equal();
  return !equal ? ExitCode::CheckFailed : *equal ? ExitCode::Ok : ExitCode::Diagnosed;
}

} // namespace ccgraph::driver
