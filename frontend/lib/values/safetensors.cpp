#include "ccgraph/frontend/safetensors.h"

#include "json/json_report.h"
#include "json/json_text.h"
#include "json/member_sink.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>

namespace ccgraph {
namespace {

/// The longest header; a longer one is rejected, as in the format's own library.
constexpr uint64_t maxHeaderBytes = 100'000'000;
constexpr size_t lengthBytes = 8;

// A file of two tensors, a = f32[2] and b = i64[1]:
//   8 bytes         the length of the header
//   header          {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
//                    "b": {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]}}, and blanks up to a multiple of 8
//   16 bytes        the data
// All claims of the header are checked. Each range must lie within the data and match the shape and the dtype. All
// ranges together must cover the data without gap or overlap, so a truncated file is rejected.
struct DTypeName {
  DType dtype;
  llvm::StringLiteral name;
};
constexpr std::array<DTypeName, 17> dtypeNames = {{
    {DType::U8, "U8"},
    {DType::I8, "I8"},
    {DType::I16, "I16"},
    {DType::I32, "I32"},
    {DType::I64, "I64"},
    {DType::U16, "U16"},
    {DType::U32, "U32"},
    {DType::U64, "U64"},
    {DType::F16, "F16"},
    {DType::BF16, "BF16"},
    {DType::F32, "F32"},
    {DType::F64, "F64"},
    {DType::Bool, "BOOL"},
    {DType::C64, "C64"},
    {DType::F8E4M3FN, "F8_E4M3"},
    {DType::F8E5M2, "F8_E5M2"},
    {DType::F8E8M0FNU, "F8_E8M0"},
}};

std::optional<DType> parseName(llvm::StringRef name) {
  const auto *found = llvm::find_if(dtypeNames, [&](const DTypeName &entry) { return entry.name == name; });
  return found == dtypeNames.end() ? std::nullopt : std::optional(found->dtype);
}

std::optional<llvm::StringRef> nameOf(DType dtype) {
  const auto *found = llvm::find_if(dtypeNames, [&](const DTypeName &entry) { return entry.dtype == dtype; });
  return found == dtypeNames.end() ? std::nullopt : std::optional<llvm::StringRef>(found->name);
}

struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;
};

class Reader {
public:
  Reader(JsonReport &report, llvm::StringRef data) : report_(report), data_(data) {}

  void readTensor(const JsonValue &entry) {
    if (entry.key == "__metadata__")
      return;
    HostTensor tensor;
    auto dtype = readDType(entry);
    auto range = readRange(entry);
    if (!readShape(entry, tensor.sizes) || !dtype || !range)
      return;
    tensor.dtype = *dtype;
    if (!fits(entry, tensor, *range))
      return;
    llvm::StringRef bytes = data_.slice(range->begin, range->end);
    const auto *first = reinterpret_cast<const std::byte *>(bytes.data());
    tensor.data.assign(first, first + bytes.size());
    if (tensor.dtype == DType::Bool && !llvm::all_of(tensor.data, [](std::byte b) { return b <= std::byte(1); }))
      report_.error(entry.offset, "tensor '" + entry.key.str() + "' is BOOL but holds a byte that is neither 0 nor 1");
    ranges_.push_back({range->begin, range->end, entry.key.str()});
    if (!tensors_.emplace(entry.key.str(), std::move(tensor)).second)
      report_.error(entry.offset, "tensor '" + entry.key.str() + "' occurs twice");
  }

  /// Checks that the ranges follow each other from the first byte to the last.
  void checkCoverage();
  TensorMap take() { return std::move(tensors_); }

private:
  std::optional<DType> readDType(const JsonValue &entry) {
    const JsonValue *value = entry.member("dtype");
    auto dtype = value ? parseName(value->text) : std::nullopt;
    if (!dtype)
      report_.expected(value ? *value : entry, "a 'dtype' such as \"F32\", \"BF16\", \"I64\", \"BOOL\"");
    return dtype;
  }

  bool readShape(const JsonValue &entry, std::vector<int64_t> &sizes) {
    const JsonValue *value = entry.member("shape");
    bool valid = value && value->is(JsonKind::Array);
    if (valid)
      for (const JsonValue &size : value->elements()) {
        valid = valid && size.is(JsonKind::Integer) && size.integer >= 0;
        sizes.push_back(size.integer);
      }
    if (!valid)
      report_.expected(value ? *value : entry, "a 'shape': an array of sizes, none negative");
    return valid;
  }

  std::optional<ByteRange> readRange(const JsonValue &entry) {
    const JsonValue *value = entry.member("data_offsets");
    bool valid = value && value->is(JsonKind::Array) && value->count == 2 && value->first->is(JsonKind::Integer) &&
                 value->first->next->is(JsonKind::Integer);
    int64_t begin = valid ? value->first->integer : 0;
    int64_t end = valid ? value->first->next->integer : 0;
    if (valid && begin >= 0 && begin <= end && static_cast<uint64_t>(end) <= data_.size())
      return ByteRange{static_cast<uint64_t>(begin), static_cast<uint64_t>(end), {}};
    report_.expected(value ? *value : entry,
                     "'data_offsets' [begin, end] within the " + llvm::Twine(data_.size()) + " bytes after the header",
                     "a file that was cut off has ranges past its end");
    return std::nullopt;
  }

  bool fits(const JsonValue &entry, const HostTensor &tensor, const ByteRange &range) {
    int64_t bytes = sizeInBytes(tensor.dtype);
    bool overflow = false;
    for (int64_t size : tensor.sizes)
      overflow |= llvm::MulOverflow(bytes, size, bytes) != 0;
    if (!overflow && static_cast<uint64_t>(bytes) == range.end - range.begin)
      return true;
    report_.error(entry.offset, "tensor '" + entry.key.str() + "' is " + tensor.typeText() + ", " +
                                    (overflow ? "more bytes than 64 bits count" : std::to_string(bytes) + " bytes") +
                                    ", but its data_offsets hold " + std::to_string(range.end - range.begin));
    return false;
  }

  JsonReport &report_;
  llvm::StringRef data_;
  TensorMap tensors_;
  std::vector<ByteRange> ranges_;
};

// Sorts the ranges; each must begin where the one before it ended. The empty range of an empty tensor may be anywhere
// between two others.
void Reader::checkCoverage() {
  if (report_.hasErrors())
    return;
  llvm::sort(ranges_, [](const ByteRange &a, const ByteRange &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  for (const ByteRange &range : ranges_) {
    if (range.begin != covered)
      return report_.error(0,
                           "tensor '" + range.name + "' starts at byte " + std::to_string(range.begin) +
                               ", but the tensors before it end at " + std::to_string(covered),
                           "ranges follow each other without gap or overlap");
    covered = range.end;
  }
  if (covered != data_.size())
    report_.error(0, "the tensors end at byte " + std::to_string(covered) + ", but the data has " +
                         std::to_string(data_.size()));
}

llvm::Error headerError(const SourceText &source, std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.message = std::move(message);
  diagnostic.notes.push_back("a safetensors file starts with the length of its header, eight bytes little-endian");
  return makeError(std::move(diagnostic));
}

void writeHeaderEntry(llvm::raw_ostream &os, const HostTensor &tensor, uint64_t begin) {
  os << R"({"dtype": ")" << *nameOf(tensor.dtype) << R"(", "shape": [)";
  llvm::interleaveComma(tensor.sizes, os);
  os << R"(], "data_offsets": [)" << begin << ", " << begin + tensor.data.size() << "]}";
}

} // namespace

llvm::Expected<TensorMap> readSafetensors(const SourceText &source) {
  if (source.text.size() < lengthBytes)
    return headerError(source, "this file has " + std::to_string(source.text.size()) + " bytes, expected at least 8");
  uint64_t length = llvm::support::endian::read64le(source.text.data());
  llvm::StringRef rest = source.text.drop_front(lengthBytes);
  if (length > rest.size() || length > maxHeaderBytes)
    return headerError(source, "its header should have " + std::to_string(length) + " bytes, but " +
                                   std::to_string(rest.size()) + " are left of the file");
  SourceText header{source.name + " (header)", rest.take_front(length)};
  constexpr size_t errorLimit = 20;
  JsonReport report(header, errorLimit);
  Reader reader(report, rest.drop_front(length));
  MemberSink sink("", [&](const JsonValue &entry) { reader.readTensor(entry); });
  llvm::Error syntax = parseJson(header, sink);
  if (!syntax && !sink.isObject())
    report.error(0, "expected an object: name -> {dtype, shape, data_offsets}");
  if (!syntax)
    reader.checkCoverage();
  if (llvm::Error error = report.take(std::move(syntax)))
    return error;
  return reader.take();
}

// The header is built first, since its length and all offsets precede the data. The blanks after it let the data begin
// at a multiple of 8, so that a reader may map the file and use the numbers in place.
llvm::Error writeSafetensors(llvm::raw_ostream &os, const TensorMap &tensors) {
  std::string header = "{";
  llvm::raw_string_ostream text(header);
  uint64_t offset = 0;
  for (const auto &[name, tensor] : tensors) {
    if (!nameOf(tensor.dtype)) {
      Diagnostic diagnostic;
      diagnostic.message = "tensor '" + name + "' is " + tensor.typeText() + ": safetensors has no such dtype";
      return makeError(std::move(diagnostic));
    }
    text << (header.size() > 1 ? ", " : "");
    writeJsonString(text, name);
    text << ": ";
    writeHeaderEntry(text, tensor, offset);
    offset += tensor.data.size();
    text.flush();
  }
  text << '}';
  text.flush();
  header.resize(llvm::alignTo(header.size(), lengthBytes), ' ');
  std::array<char, lengthBytes> length;
  llvm::support::endian::write64le(length.data(), header.size());
  os.write(length.data(), length.size()) << header;
  for (const auto &[name, tensor] : tensors)
    os.write(reinterpret_cast<const char *>(tensor.data.data()), tensor.data.size());
  return llvm::Error::success();
}

} // namespace ccgraph
