#include "trace/record_reader.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

/// Kinds that occur in large numbers or are large, and hold no graph as text.
constexpr StringRef neverGraphs[] = {"chromium_event",        "compilation_metrics",
                                     "dynamo_cpp_guards_str", "dynamo_guards",
                                     "inductor_output_code",  "describe_tensor",
                                     "describe_storage",      "inductor_provenance_tracking_node_mappings"};

} // namespace

bool mayHoldGraph(const TraceHeader &header) {
  return !header.md5.empty() && !header.holdsJson && !llvm::is_contained(neverGraphs, StringRef(header.kind));
}

void RecordReader::read(LineReader &lines) {
  while (std::optional<StringRef> text = stopped_ ? std::nullopt : lines.next()) {
    if (lines.wasCut())
      events_.damaged(lines.number(), "a line that is too long for a graph, of which the end was dropped");
    line(*text, lines.number());
  }
  // Open payloads, in the order of their headers.
  std::vector<Stream *> open;
  for (auto &[prefix, stream] : streams_)
    if (stream.open)
      open.push_back(&stream);
  llvm::sort(open, [](const Stream *a, const Stream *b) { return a->record.line < b->record.line; });
  for (Stream *stream : open)
    if (!stopped_)
      close(*stream);
}

// Tests for payload first, because a line of payload may hold anything.
void RecordReader::line(StringRef text, size_t number) {
  if (Stream *stream = streamOf(text))
    return payload(*stream, text.drop_front(stream->prefix.size() + 1), number);
  if (std::optional<HeaderLine> found = findHeader(text))
    return header(*found, number);
  foreign(text, number);
}

/// Returns the stream to whose payload the line belongs: the stream's prefix and a tab begin it. The longest prefix
/// wins.
RecordReader::Stream *RecordReader::streamOf(StringRef line) {
  auto fits = [&](const Stream &stream) {
    return line.size() > stream.prefix.size() && line[stream.prefix.size()] == '\t' && line.startswith(stream.prefix);
  };
  if (last_ && fits(*last_) && (streams_.size() == 1 || !last_->prefix.empty()))
    return last_;
  Stream *best = nullptr;
  for (auto &[prefix, stream] : streams_)
    if (fits(stream) && (best == nullptr || prefix.size() > best->prefix.size()))
      best = &stream;
  return best;
}

void RecordReader::append(Stream &stream, StringRef content, size_t number) {
  if (stream.begun)
    stream.hash.update("\n");
  stream.hash.update(content);
  stream.begun = stream.unasked = true;
  stream.record.text.append(content.begin(), content.size());
  stream.record.text += '\n';
  stream.record.cut.lines.push_back(number);
}

void RecordReader::payload(Stream &stream, StringRef content, size_t number) {
  last_ = &stream;
  if (stream.orphaned && !stream.told && content.contains("def forward(")) {
    stream.told = true;
    events_.damaged(number, "a graph whose header is missing or damaged");
  }
  if (!stream.open)
    return;
  for (size_t blank : stream.blanks)
    append(stream, "", blank);
  stream.blanks.clear();
  append(stream, content, number);
}

void RecordReader::header(const HeaderLine &found, size_t number) {
  ++headers_;
  if (events_.seen)
    events_.seen(found);
  Stream &stream = streams_.try_emplace(found.prefix.str()).first->second;
  stream.prefix = found.prefix.str();
  last_ = &stream;
  close(stream);
  if (stopped_)
    return;
  std::optional<TraceHeader> header = parseHeader(found.json);
  stream.orphaned = !header;
  stream.told = false;
  if (!header)
    return events_.damaged(number, "a header that is no JSON object");
  stream.open = events_.wanted ? !header->md5.empty() && events_.wanted(*header) : mayHoldGraph(*header);
  stream.orphaned = header->md5.empty(); // a header without an MD5 has no payload
  stream.record = TraceRecord();
  stream.record.header = std::move(*header);
  stream.record.prefix = stream.prefix;
  stream.record.line = number;
  stream.record.cut.indent = stream.prefix.size() + 1;
  stream.hash = llvm::MD5();
  stream.begun = stream.unasked = false;
  stream.blanks.clear();
}

/// Handles a line of no stream. It may be the rest of a damaged header, and then the payload before it is complete.
void RecordReader::foreign(StringRef line, size_t number) {
  for (auto &[prefix, stream] : streams_) {
    if (line.rtrim() == StringRef(prefix).rtrim()) {
      if (stream.open)
        stream.blanks.push_back(number);
      continue;
    }
    bool isCut = line.startswith(prefix) && isBrokenHeader(line.drop_front(prefix.size()));
    if (isCut && line.contains("] {"))
      events_.damaged(number, "a header that is no JSON object");
    if (stream.open && (isCut || (stream.unasked && matches(stream)))) {
      close(stream);
      stream.orphaned = true;
      stream.told = false;
    }
    stream.unasked = false;
  }
}

bool RecordReader::matches(const Stream &stream) {
  llvm::MD5 hash = stream.hash;
  llvm::MD5::MD5Result result;
  hash.final(result);
  return result.digest() == StringRef(stream.record.header.md5);
}

void RecordReader::close(Stream &stream) {
  if (!stream.open)
    return;
  stream.open = false;
  stream.record.matches = matches(stream);
  events_.record(std::move(stream.record));
}

} // namespace ccgraph
