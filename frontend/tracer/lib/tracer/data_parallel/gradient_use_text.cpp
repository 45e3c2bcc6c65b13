#include "ccgraph/tracer/data_parallel.h"
#include "tracer/mode.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::tracer {
namespace {

llvm::Error refuse(size_t line, llvm::StringRef text) {
  return makeError(detail::problem("ddp.use", "gradient use",
                                   "line " + std::to_string(line) + ": got '" + text.str() +
                                       "', expected 'ready' with positions of parameters, then 'used NAME TYPE' or "
                                       "'unused NAME TYPE'",
                                   "exchange the text of gradientUseText unchanged"));
}

/// Reads "ready 2 0 1"; empty if it is something else.
std::optional<std::vector<size_t>> parseOrder(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef, 16> words;
  line.split(words, ' ');
  if (words.front() != "ready")
    return std::nullopt;
  std::vector<size_t> order;
  for (llvm::StringRef word : llvm::drop_begin(words))
    if (word.getAsInteger(10, order.emplace_back()))
      return std::nullopt;
  return order;
}

std::optional<GradientUse::Parameter> parseParameter(llvm::StringRef line) {
  auto [used, rest] = line.split(' ');
  auto [name, type] = rest.split(' ');
  if ((used != "used" && used != "unused") || name.empty() || type.empty())
    return std::nullopt;
  return GradientUse::Parameter{name.str(), type.str(), used == "used"};
}

} // namespace

std::string gradientUseText(const GradientUse &use) {
  std::string text = "ready";
  for (size_t position : use.readyOrder)
    text += " " + std::to_string(position);
  text += "\n";
  for (const GradientUse::Parameter &parameter : use.parameters)
    text += (parameter.used ? "used " : "unused ") + parameter.name + " " + parameter.type + "\n";
  return text;
}

llvm::Expected<GradientUse> parseGradientUse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 64> lines;
  text.rtrim('\n').split(lines, '\n');
  std::optional<std::vector<size_t>> order = parseOrder(lines.front());
  if (!order)
    return refuse(1, lines.front());
  GradientUse use{{}, std::move(*order)};
  for (size_t line = 1; line != lines.size(); ++line) {
    std::optional<GradientUse::Parameter> parameter = parseParameter(lines[line]);
    if (!parameter)
      return refuse(line + 1, lines[line]);
    use.parameters.push_back(std::move(*parameter));
  }
  if (llvm::any_of(use.readyOrder, [&](size_t position) { return position >= use.parameters.size(); }))
    return refuse(1, lines.front());
  return use;
}

} // namespace ccgraph::tracer
