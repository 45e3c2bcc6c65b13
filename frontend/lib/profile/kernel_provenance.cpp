#include "ccgraph/frontend/profile_file.h"

#include "trace/record_reader.h"
#include "json/member_sink.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

constexpr llvm::StringLiteral provenanceArtifact = "inductor_provenance_tracking_node_mappings";
constexpr llvm::StringLiteral provenanceMember = "cppCodeToPost";

/// Adds "cpp_fused_relu_0:2": ["relu"]. Keys without a number of the call are not of a kernel.
void addKernel(const JsonValue &member, std::vector<KernelNodes> &kernels) {
  auto [kernel, call] = member.key.rsplit(':');
  KernelNodes found{kernel.str()};
  if (call.getAsInteger(10, found.call))
    return;
  for (const JsonValue &node : member.elements())
    if (node.is(JsonKind::String))
      found.nodes.push_back(node.text.str());
  kernels.push_back(std::move(found));
}

} // namespace

bool isKernelProvenance(llvm::StringRef text) {
  return text.contains(("\"" + provenanceMember + "\"").str()) && !isProfile(text);
}

llvm::Expected<KernelProvenance> readKernelProvenance(const SourceText &source) {
  KernelProvenance provenance{source.name, {}};
  MemberSink sink(provenanceMember, [&](const JsonValue &mapping) {
    for (const JsonValue &member : mapping.elements())
      addKernel(member, provenance.kernels);
  });
  if (llvm::Error error = parseJson(source, sink))
    return error;
  llvm::stable_sort(provenance.kernels, [](const KernelNodes &a, const KernelNodes &b) { return a.call < b.call; });
  if (!sink.found())
    return makeError(diagnoseAt(source, 0, ("expected a mapping with '" + provenanceMember + "', got none").str(),
                                "Inductor writes it with trace.provenance_tracking_level=1"));
  return provenance;
}

llvm::Expected<std::vector<KernelProvenance>> readLoggedProvenance(llvm::StringRef path) {
  llvm::Expected<LineReader> lines = LineReader::open(path);
  if (!lines)
    return lines.takeError();
  std::vector<KernelProvenance> found;
  llvm::Error broken = llvm::Error::success();
  RecordReader reader({[&](TraceRecord &&record) {
                         if (!isKernelProvenance(record.text)) // PyTorch 2.15 maps no kernel of a backward graph
                           return;
                         CutLines cut = std::move(record.cut);
                         auto mapping = readKernelProvenance({path.str(), record.text, 0, &cut});
                         if (mapping)
                           found.push_back(std::move(*mapping));
                         else
                           broken = llvm::joinErrors(std::move(broken), mapping.takeError());
                       },
                       [](size_t, llvm::StringRef) {},
                       [](const TraceHeader &header) { return header.kind == provenanceArtifact; }});
  reader.read(*lines);
  if (llvm::Error error = lines->takeError())
    return llvm::joinErrors(std::move(broken), std::move(error));
  if (broken)
    return broken;
  return found;
}

} // namespace ccgraph
