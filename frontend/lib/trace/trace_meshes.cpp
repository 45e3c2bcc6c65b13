#include "ccgraph/frontend/trace_meshes.h"

#include "files/line_reader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using llvm::StringRef;

namespace ccgraph {
namespace {

constexpr StringRef head = "DeviceMesh((";

/// Returns the text before the closing ")" and the text after it; nothing where there is none.
std::optional<std::pair<StringRef, StringRef>> untilClosed(StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '(')
      ++depth;
    else if (text[i] == ')' && depth-- == 0)
      return std::pair(text.take_front(i), text.drop_front(i + 1));
  }
  return std::nullopt;
}

llvm::SmallVector<StringRef, 4> listed(StringRef text) {
  llvm::SmallVector<StringRef, 4> words;
  text.split(words, ',', -1, false);
  for (StringRef &word : words)
    word = word.trim();
  llvm::erase_if(words, [](StringRef word) { return word.empty(); });
  return words;
}

/// Parses a size "tp=2" or "2", and a stride "1" or "()".
std::optional<MeshAxis> parseAxis(StringRef size, StringRef stride) {
  MeshAxis axis;
  if (size.contains('=')) {
    auto [name, number] = size.split('=');
    axis.name = name.str();
    size = number;
  }
  if (size.getAsInteger(10, axis.size) || axis.size <= 0)
    return std::nullopt;
  bool alone = axis.size == 1;
  if (!alone && (stride.getAsInteger(10, axis.stride) || axis.stride <= 0))
    return std::nullopt;
  return axis;
}

} // namespace

std::optional<TraceMesh> parseMesh(StringRef text) {
  constexpr StringRef strideWord = "stride=(";
  StringRef rest = text;
  if (!rest.consume_front(head))
    return std::nullopt;
  auto sizes = untilClosed(rest);
  size_t at = sizes ? sizes->second.find(strideWord) : StringRef::npos;
  if (at == StringRef::npos || sizes->second.take_front(at).contains(')'))
    return std::nullopt;
  auto strides = untilClosed(sizes->second.drop_front(at + strideWord.size()));
  if (!strides || !strides->second.startswith(")"))
    return std::nullopt;
  auto sizeWords = listed(sizes->first), strideWords = listed(strides->first);
  if (sizeWords.empty() || sizeWords.size() != strideWords.size())
    return std::nullopt;
  TraceMesh mesh;
  mesh.text = text.take_front(static_cast<size_t>(strides->second.data() + 1 - text.data())).str();
  for (auto [size, stride] : llvm::zip(sizeWords, strideWords)) {
    std::optional<MeshAxis> axis = parseAxis(size, stride);
    if (!axis)
      return std::nullopt;
    mesh.axes.push_back(std::move(*axis));
  }
  return mesh;
}

llvm::Expected<std::vector<TraceMesh>> readTraceMeshes(StringRef path) {
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return lines.takeError();
  std::vector<TraceMesh> meshes;
  while (std::optional<StringRef> line = lines->next()) {
    size_t at = line->find("{\"describe_tensor\"");
    at = at == StringRef::npos ? at : line->find(head, at);
    std::optional<TraceMesh> mesh = at == StringRef::npos ? std::nullopt : parseMesh(line->drop_front(at));
    if (mesh && llvm::none_of(meshes, [&](const TraceMesh &known) { return known.text == mesh->text; }))
      meshes.push_back(std::move(*mesh));
  }
  if (llvm::Error error = lines->takeError())
    return error;
  return meshes;
}

} // namespace ccgraph
