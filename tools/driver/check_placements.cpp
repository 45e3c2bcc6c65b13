#include "driver/check_placements.h"

#include "ccgraph/checks/placement_files.h"
#include "check_report/placement_report.h"

namespace ccgraph::driver {

llvm::Expected<ExitCode> checkPlacementsOf(const CheckOptions &options, llvm::ArrayRef<std::string> paths,
                                           Streams streams) {
  Diagnostics warnings;
  PlacementFiles files{paths.vec(), options.groups, options.placements, options.ranks};
  llvm::Expected<NamedPlacements> placements = inferPlacementsOfFiles(files, warnings);
  streams.err << toString(warnings.take());
  if (!placements)
    return placements.takeError();
  (options.json ? report::writePlacementJson : report::writePlacementText)(streams.out, *placements);
  if (!placements->findings.empty())
    return ExitCode::Diagnosed;
  return placements->undecided.empty() ? ExitCode::Ok : ExitCode::CheckFailed;
}

} // namespace ccgraph::driver
