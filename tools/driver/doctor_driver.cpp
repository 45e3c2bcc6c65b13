#include "driver/doctor_driver.h"

#include "ccgraph/ir/text.h"
#include "driver/doctor_parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::driver {
namespace {

void printText(llvm::raw_ostream &os, llvm::ArrayRef<DoctorPart> parts) {
  for (const DoctorPart &part : parts) {
    os << (part.isHere ? "yes  " : "no   ") << llvm::left_justify(part.name, 15) << part.gives << ": " << part.found;
    if (!part.repair.empty())
      os << "; to get it, " << part.repair;
    os << '\n';
  }
}

void printJson(llvm::raw_ostream &os, llvm::ArrayRef<DoctorPart> parts) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("version", CCGRAPH_VERSION);
    json.attributeArray("parts", [&] {
      for (const DoctorPart &part : parts)
        json.object([&] {
          json.attribute("name", part.name);
          json.attribute("is_here", part.isHere);
          json.attribute("found", part.found);
          json.attribute("gives", part.gives);
          json.attribute("repair", part.repair);
        });
    });
  });
  os << '\n';
}

/// Keeps the parts that are named, in the order of the list; all of them if none is named.
llvm::Error select(std::vector<DoctorPart> &parts, llvm::ArrayRef<std::string> names) {
  auto isNamed = [&](const DoctorPart &part) { return llvm::is_contained(names, part.name); };
  for (const std::string &name : names)
    if (llvm::none_of(parts, [&](const DoctorPart &part) { return part.name == name; })) {
      std::vector<std::string> known;
      for (const DoctorPart &part : parts)
        known.push_back(part.name);
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "got '" + visibleText(name) + "', expected some of " + llvm::join(known, ", "));
    }
  if (!names.empty())
    llvm::erase_if(parts, [&](const DoctorPart &part) { return !isNamed(part); });
  return llvm::Error::success();
}

} // namespace

CommandLine declareDoctorFlags(DoctorOptions &options) {
  CommandLine line(
      "ccgraph doctor [PART...] [flags]",
      "Prints which optional parts this machine has, and what each of them gives. With parts, it exits with "
      "3 if one of them is missing.");
  line.addSwitch("--json", "print the parts as JSON", options.json);
  line.addSwitch("--version", "print the version", options.version);
  line.addHelp("print this help", options.help);
  return line;
}

ExitCode doctorMain(llvm::ArrayRef<const char *> arguments, Streams streams) {
  DoctorOptions options;
  CommandLine line = declareDoctorFlags(options);
  if (llvm::Error error = line.parse(arguments))
    return rejectUsage(streams, std::move(error));
  if (auto code = answerCommonFlags(line, {"ccgraph doctor", options.help, options.version}, streams))
    return *code;
  std::vector<DoctorPart> parts = doctorParts();
  if (llvm::Error error = select(parts, line.positional()))
    return rejectUsage(streams, std::move(error));
  options.json ? printJson(streams.out, parts) : printText(streams.out, parts);
  bool lacks = !line.positional().empty() && llvm::any_of(parts, [](const DoctorPart &part) { return !part.isHere; });
  return lacks ? ExitCode::CheckFailed : ExitCode::Ok;
}

} // namespace ccgraph::driver
