#include "support/golden_file.h"

#include "llvm/ADT/STLExtras.h"

#include <filesystem>

namespace fs = std::filesystem;
using llvm::StringRef;

namespace ccgraph::test {

namespace {

constexpr StringRef separator = "--- ";
constexpr StringRef knownSections[] = {"pipeline", "options", "input", "output", "remarks", "diagnostics"};
constexpr StringRef knownOptions[] = {"ranks", "sizes",   "bind",      "groups", "objects", "memory-budget",
                                      "spmd",  "bitwise", "durations", "values", "machine"};

llvm::Error mistake(const std::string &path, unsigned line, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 path + ":" + std::to_string(line) + ": " + message.str());
}

} // namespace

llvm::Expected<GoldenFile> GoldenFile::parse(std::string path, StringRef text) {
  GoldenFile file;
  file.path = std::move(path);
  unsigned number = 0;
  for (StringRef rest = text; !rest.empty();) {
    size_t length = std::min(rest.find('\n'), rest.size() - 1) + 1;
    StringRef line = rest.take_front(length);
    rest = rest.drop_front(length);
    ++number;
    if (line.startswith(separator)) {
      StringRef name = line.drop_front(separator.size()).trim();
      if (!llvm::is_contained(knownSections, name))
        return mistake(file.path, number,
                       "got the section '" + name +
                           "', expected pipeline, options, input, output, remarks or diagnostics");
      file.sections.push_back({name.str(), "", number + 1});
    } else {
      (file.sections.empty() ? file.preamble : file.sections.back().text) += line;
    }
  }
  if (!StringRef(file.preamble).split('\n').first.rtrim().endswith("."))
    return mistake(file.path, 1, "expected a sentence of intent, which ends in '.'");
  for (StringRef needed : {"pipeline", "input"})
    if (file.find(needed) == nullptr)
      return mistake(file.path, number, "got no section '" + needed + "'");
  return file;
}

const GoldenSection *GoldenFile::find(StringRef name) const {
  auto found = llvm::find_if(sections, [&](const GoldenSection &section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

void GoldenFile::set(StringRef name, std::string text) {
  for (GoldenSection &section : sections)
    if (section.name == name) {
      section.text = std::move(text);
      return;
    }
  sections.push_back({name.str(), std::move(text), 0});
}

void GoldenFile::erase(StringRef name) {
  llvm::erase_if(sections, [&](const GoldenSection &section) { return section.name == name; });
}

std::string GoldenFile::str() const {
  std::string text = preamble;
  for (const GoldenSection &section : sections)
    text += (separator + section.name + "\n" + section.text).str();
  return text;
}

llvm::Expected<std::map<std::string, std::string>> GoldenFile::options() const {
  std::map<std::string, std::string> result;
  const GoldenSection *section = find("options");
  if (section == nullptr)
    return result;
  unsigned number = section->line;
  for (StringRef rest = section->text; !rest.empty(); ++number) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [key, value] = line.split(':');
    if (line.trim().empty())
      continue;
    if (!llvm::is_contained(knownOptions, key))
      return mistake(path, number,
                     "got the option '" + key +
                         "', expected ranks, groups, objects, memory-budget, spmd, bitwise, durations, values or "
                         "machine");
    result[key.str()] = value.trim().str();
  }
  return result;
}

std::vector<std::string> findGoldens(const std::string &folder) {
  std::vector<std::string> paths;
  if (!fs::exists(folder))
    return paths;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".golden")
      paths.push_back(entry.path().string());
  llvm::sort(paths);
  return paths;
}

} // namespace ccgraph::test
