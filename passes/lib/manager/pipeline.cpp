#include "ccgraph/passes/pipeline.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/passes/registry.h"

namespace ccgraph {

namespace {

/// Reads the text from left to right and collects every mistake; after a mistake it continues after the next comma.
class PipelineParser {
public:
  explicit PipelineParser(llvm::StringRef text) : text_(text) {}
  llvm::Expected<Pipeline> run();

private:
  void parsePass(Pipeline &pipeline);
  void parseOptions(Pass &pass);
  void parseOption(Pass &pass);
  void applyOption(Pass &pass, llvm::StringRef name, size_t nameAt, llvm::StringRef value);
  void unknownPass(llvm::StringRef name, size_t at);
  void error(size_t at, llvm::StringRef rule, std::string message, std::string note = "");
  llvm::StringRef word(llvm::StringRef stops);
  void skipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }
  /// Returns the current character, for messages.
  [[nodiscard]] std::string quoted() const {
    return atEnd() ? "the end of the text" : "'" + text_.substr(at_, 1).str() + "'";
  }
  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
  bool consume(char c) { return !atEnd() && text_[at_] == c && ++at_; }

  llvm::StringRef text_;
  size_t at_ = 0;
  std::vector<Diagnostic> errors_;
};

void PipelineParser::error(size_t at, llvm::StringRef rule, std::string message, std::string note) {
  Diagnostic diagnostic;
  diagnostic.rule = rule.str();
  diagnostic.file = "pipeline";
  diagnostic.line = 1;
  diagnostic.column = static_cast<unsigned>(at + 1);
  diagnostic.message = std::move(message);
  if (!note.empty())
    diagnostic.notes.push_back(std::move(note));
  errors_.push_back(std::move(diagnostic));
}

llvm::StringRef PipelineParser::word(llvm::StringRef stops) {
  size_t begin = at_;
  at_ = std::min(text_.find_first_of(stops, at_), text_.size());
  return text_.slice(begin, at_);
}

/// Returns the replacement of a pass of an earlier release; "" for any other name.
llvm::StringRef replacementOf(llvm::StringRef pass) {
  if (pass == "raise-collectives")
    return "raise-collectives is retired: 'schedule-overlap{buckets=none}' hoists launches and merges none";
  return "";
}

void PipelineParser::unknownPass(llvm::StringRef name, size_t at) {
  if (llvm::StringRef replacement = replacementOf(name); !replacement.empty())
    return error(at, "pipeline.unknown-pass", "unknown pass '" + name.str() + "'", replacement.str());
  std::vector<std::string> known;
  for (llvm::StringRef pass : passNames())
    known.push_back(pass.str());
  std::string nearest = nearestWord(name, known);
  error(at, "pipeline.unknown-pass", "unknown pass '" + name.str() + "'",
        nearest.empty() ? "the passes are " + llvm::join(known, ", ") : "did you mean '" + nearest + "'?");
}

void PipelineParser::applyOption(Pass &pass, llvm::StringRef name, size_t nameAt, llvm::StringRef value) {
  Pass::Setting setting = pass.set(name, value);
  if (setting.done)
    return;
  if (setting.option)
    return error(nameAt + name.size() + 1, "pipeline.bad-value",
                 "option '" + name.str() + "' of '" + pass.name().str() + "' got '" + value.str() + "', expected " +
                     setting.option->syntax(),
                 setting.option->help());
  std::vector<std::string> known;
  for (const OptionBase *option : pass.options())
    known.push_back(option->name());
  std::string nearest = nearestWord(name, known);
  std::string note = known.empty() ? "it has no options" : "its options are " + llvm::join(known, ", ");
  error(nameAt, "pipeline.unknown-option", "pass '" + pass.name().str() + "' has no option '" + name.str() + "'",
        nearest.empty() ? note : "did you mean '" + nearest + "'?");
}

void PipelineParser::parseOption(Pass &pass) {
  size_t nameAt = at_;
  llvm::StringRef name = word("= \t\n},{");
  if (name.empty()) {
    error(at_, "pipeline.syntax", "got " + quoted() + ", expected an option name or '}'",
          "options are written name=value, separated by blanks");
    ++at_;
    return;
  }
  if (!consume('='))
    return error(at_, "pipeline.syntax", "option '" + name.str() + "' has no value: expected '='",
                 "write " + name.str() + "=value");
  applyOption(pass, name, nameAt, word(" \t\n},{"));
}

void PipelineParser::parseOptions(Pass &pass) {
  size_t open = at_ - 1;
  for (skipBlanks(); !consume('}'); skipBlanks()) {
    if (atEnd())
      return error(open, "pipeline.syntax", "'{' is never closed: expected '}' after the last option");
    parseOption(pass);
  }
}

// Example: "sink-waits,coalesce-collectives{layout=flat max-count=8}" is two passes, the second with two options.
void PipelineParser::parsePass(Pipeline &pipeline) {
  skipBlanks();
  size_t begin = at_;
  llvm::StringRef name = word("{},= \t\n");
  std::unique_ptr<Pass> pass = createPass(name);
  if (name.empty())
    error(begin, "pipeline.syntax", "expected the name of a pass, got " + quoted());
  else if (!pass)
    unknownPass(name, begin);
  skipBlanks();
  if (pass && consume('{'))
    parseOptions(*pass);
  skipBlanks();
  if (pass && !atEnd() && text_[at_] != ',')
    error(at_, "pipeline.syntax",
          "got " + quoted() + " after pass '" + name.str() + "', expected ',' or the end of the text");
  at_ = std::min(text_.find(',', at_), text_.size());
  if (pass)
    pipeline.append(std::move(pass));
}

llvm::Expected<Pipeline> PipelineParser::run() {
  Pipeline pipeline;
  skipBlanks();
  if (atEnd())
    return pipeline;
  do
    parsePass(pipeline);
  while (consume(','));
  if (!errors_.empty())
    return makeError(std::move(errors_));
  return pipeline;
}

} // namespace

llvm::Expected<Pipeline> Pipeline::parse(llvm::StringRef text) { return PipelineParser(text).run(); }

void Pipeline::append(const Pipeline &other) {
  // `other` may be this pipeline, so all passes are cloned before the first one is added.
  std::vector<std::unique_ptr<Pass>> copies;
  for (const std::unique_ptr<Pass> &pass : other.passes_)
    copies.push_back(pass->clone());
  llvm::move(copies, std::back_inserter(passes_));
}

bool Pipeline::stopAfter(llvm::StringRef pass) {
  auto found = llvm::find_if(passes_, [&](const std::unique_ptr<Pass> &each) { return each->name() == pass; });
  if (found == passes_.end())
    return false;
  passes_.erase(std::next(found), passes_.end());
  return true;
}

std::string Pipeline::str() const {
  std::string text;
  for (const std::unique_ptr<Pass> &pass : passes_)
    text += (text.empty() ? "" : ",") + pass->str();
  return text;
}

} // namespace ccgraph
