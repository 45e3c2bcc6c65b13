#include "flight/pickle_or_json.h"

#include "json/json_parser.h"
#include "json/json_report.h"

namespace ccgraph {
namespace {

constexpr size_t mostWholeErrors = 20;

using ReadWhole = llvm::function_ref<void(const JsonValue &, const ReportExpected &)>;

llvm::Error readWholePickle(const SourceText &source, const PickleForm &form, ReadWhole read) {
  llvm::BumpPtrAllocator arena;
  llvm::Expected<const JsonValue *> root = readPickle(source, arena, form);
  if (!root)
    return root.takeError();
  Diagnostics errors(mostWholeErrors);
  read(**root, [&](const JsonValue &got, const std::string &expected) {
    errors.add(diagnoseByte(source, got.offset, "expected " + expected + ", got " + pickledText(got)));
  });
  return errors.hasErrors() ? makeError(errors.take()) : llvm::Error::success();
}

/// Takes the whole text as one value.
class WholeValueSink final : public JsonSink {
public:
  explicit WholeValueSink(llvm::function_ref<void(const JsonValue &)> take) : take_(take) {}
  bool enter(const JsonOpening & /*opening*/) override { return false; }
  void leave() override {}
  bool value(const JsonValue &value) override {
    take_(value);
    return true;
  }

private:
  llvm::function_ref<void(const JsonValue &)> take_;
};

llvm::Error readWholeJson(const SourceText &source, ReadWhole read) {
  JsonReport report(source, mostWholeErrors);
  auto take = [&](const JsonValue &root) {
    read(root, [&](const JsonValue &got, const std::string &expected) { report.expected(got, expected); });
  };
  WholeValueSink sink(take);
  return report.take(parseJson(source, sink));
}

} // namespace

llvm::Error readPickleOrJson(const SourceText &source, const PickleForm &form, ReadWhole read) {
  return isPickle(source.text) ? readWholePickle(source, form, read) : readWholeJson(source, read);
}

} // namespace ccgraph
