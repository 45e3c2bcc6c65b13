// Implements ccgraph_import, which builds a graph from arrays. Every index is checked against its list, since the
// arrays come from untrusted callers.
#include "flat_texts.h"
#include "handles.h"

#include "ccgraph/ir/device.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

using namespace ccgraph;
using namespace ccgraph::capi;

namespace {

constexpr unsigned maxDepth = 200;

bool hasArrays(const ccgraph_flat &flat) {
  return flat.text_begin && (flat.text_bytes || flat.text_count == 0 || flat.text_begin[flat.text_count] == 0) &&
         (flat.node_count == 0 ||
          (flat.opcodes && flat.names && flat.targets && flat.types && flat.code_begin && flat.code));
}

bool hasArrays(const ccgraph_around &around) {
  return (around.frame_count == 0 || (around.node_frames && around.frame_texts && around.frame_lines)) &&
         (around.symbol_count == 0 || (around.symbols && around.hints)) &&
         (around.subgraph_count == 0 || (around.subgraph_names && around.subgraphs));
}

/// Returns true if the structs have the sizes of this library's version and all their arrays; `around` may be null.
bool areWhole(const ccgraph_flat *flat, const ccgraph_around *around) {
  return flat && flat->struct_size >= sizeof(ccgraph_flat) && hasArrays(*flat) &&
         (!around || (around->struct_size >= sizeof(ccgraph_around) && hasArrays(*around)));
}

/// A reader of one graph; reading ends at the first error.
class FlatReader {
public:
  FlatReader(const ccgraph_flat &flat, const ccgraph_around *around, Graph &graph)
      : flat_(flat), around_(around), graph_(graph), types_(flat.text_count) {}

  /// `depth` is the number of graphs that enclose this one.
  llvm::Error read(unsigned depth = 0) {
    for (uint32_t i = 0; i <= flat_.text_count; ++i)
      if (flat_.text_begin[i] < (i ? flat_.text_begin[i - 1] : 0))
        return wrong("text_begin goes back at text " + std::to_string(i), "give offsets that never go back");
    if (around_)
      if (llvm::Error error = readAround(depth))
        return error;
    for (at_ = 0; at_ < flat_.node_count && mistake_.empty(); ++at_)
      readNode();
    return mistake_.empty() ? llvm::Error::success() : wrong(mistake_, repair_);
  }

private:
  llvm::Error wrong(std::string message, std::string repair) const {
    Diagnostic diagnostic = diagnose("api.flat", std::move(message), std::move(repair));
    diagnostic.where = at_ < nodes_.size() ? nodes_[at_]->name().str().str() : "node " + std::to_string(at_);
    return makeError(std::move(diagnostic));
  }
  void fail(std::string message, std::string repair) {
    if (mistake_.empty())
      mistake_ = std::move(message), repair_ = std::move(repair);
  }

  llvm::StringRef text(int64_t index) {
    if (index < 0 || index >= flat_.text_count) {
      fail("got text " + std::to_string(index) + ", expected one of " + std::to_string(flat_.text_count),
           "give the index of a text");
      return {};
    }
    return {flat_.text_bytes + flat_.text_begin[index],
            static_cast<size_t>(flat_.text_begin[index + 1] - flat_.text_begin[index])};
  }

  /// Reads the data that nodes refer to, before the nodes.
  llvm::Error readAround(unsigned depth) {
    for (uint32_t i = 0; i < around_->frame_count; ++i)
      frames_.push_back(readFrame(i));
    for (uint32_t i = 0; i < around_->symbol_count; ++i)
      readHint(identifier(around_->symbols[i]), around_->hints[i]);
    for (uint32_t i = 0; i < around_->subgraph_count && mistake_.empty(); ++i)
      if (llvm::Error error = readSubgraph(i, depth))
        return error;
    return llvm::Error::success();
  }

  uint32_t readFrame(uint32_t index) {
    auto part = [&](uint32_t which) {
      uint32_t given = around_->frame_texts[3 * size_t(index) + which];
      return given == CCGRAPH_NO_TEXT ? Identifier() : identifier(given);
    };
    return graph_.addFrame(
        {.file = part(0), .function = part(1), .code = part(2), .line = around_->frame_lines[index]});
  }

  void readHint(Identifier symbol, int64_t hint) {
    if (mistake_.empty() && graph_.context().symbolic(symbol.str())->isUnbacked())
      fail("the symbol " + symbol.str().str() + " comes from data and has a hint",
           "give hints to backed symbols alone");
    if (mistake_.empty() && llvm::any_of(graph_.symbolHints, [&](auto &known) { return known.first == symbol; }))
      fail("the symbol " + symbol.str().str() + " has two hints", "give one");
    graph_.symbolHints.emplace_back(symbol, hint);
  }

  llvm::Error readSubgraph(uint32_t index, unsigned depth) {
    Identifier name = identifier(around_->subgraph_names[index]);
    const ccgraph_flat *flat = around_->subgraphs[index];
    const ccgraph_around *around = around_->subgraph_arounds ? around_->subgraph_arounds[index] : nullptr;
    if (mistake_.empty() && graph_.subgraph(name))
      fail("a second subgraph is called '" + name.str().str() + "'", "names are unique");
    if (mistake_.empty() && !areWhole(flat, around))
      fail("the subgraph '" + name.str().str() + "' is NULL, lacks an array or has another size",
           "set struct_size, and each array whose count is not 0");
    if (mistake_.empty() && depth >= maxDepth)
      fail("subgraphs nest deeper than " + std::to_string(maxDepth), "flatten them");
    return mistake_.empty() ? FlatReader(*flat, around, graph_.addSubgraph(name)).read(depth + 1)
                            : llvm::Error::success();
  }

  uint32_t frameOf(uint32_t node) {
    uint32_t frame = around_ && around_->frame_count ? around_->node_frames[node] : 0;
    if (frame > frames_.size())
      fail("comes from frame " + std::to_string(frame) + ", expected one of " + std::to_string(frames_.size()),
           "frames count from 1");
    return frame && mistake_.empty() ? frames_[frame - 1] : 0;
  }

  /// Each type text is parsed once.
  const Type *type(uint32_t index) {
    if (index == CCGRAPH_NO_TEXT)
      return nullptr;
    llvm::StringRef written = text(index);
    if (!mistake_.empty())
      return nullptr;
    if (!types_[index])
      types_[index] = parseFlatType(graph_.context(), written);
    if (llvm::Expected<const Type *> &found = *types_[index]; found)
      return *found;
    fail("'" + written.str() + "' is no type: " + llvm::toString(types_[index]->takeError()),
         "spell it as print_readable does");
    return nullptr;
  }

  int64_t next() {
    if (code_ < end_)
      return flat_.code[code_++];
    fail("its arguments end too early", "state how many values follow");
    return 0;
  }

  /// Reads a number of following values, each of which takes at least one word.
  uint64_t count() {
    int64_t number = next();
    if (number >= 0 && static_cast<uint64_t>(number) <= end_ - code_)
      return static_cast<uint64_t>(number);
    fail("got a count of " + std::to_string(number) + ", expected at most " + std::to_string(end_ - code_),
         "state how many values follow");
    return 0;
  }

  Argument readNodeReference(ArgumentBuilder &builder) {
    int64_t index = next();
    if (index >= 0 && index < static_cast<int64_t>(nodes_.size()))
      return builder.operand(nodes_[static_cast<size_t>(index)]);
    fail("mentions node " + std::to_string(index) + ", expected one before it",
         "put each node after the nodes that it reads");
    return Argument::none();
  }

  Argument readDType() {
    llvm::StringRef written = text(next());
    if (std::optional<DType> dtype = parseShortDType(written))
      return Argument::dtype(*dtype);
    fail("'" + written.str() + "' is no dtype", "write bf16, f32, i64, b8");
    return Argument::none();
  }

  Argument readDevice() {
    llvm::StringRef written = text(next());
    std::optional<Device> device = parseDevice(graph_.context(), written);
    if (device && device->kind)
      return Argument::device(*device);
    fail("'" + written.str() + "' is no device", "write cpu or cuda:0");
    return Argument::none();
  }

  Argument readSequence(ArgumentBuilder &builder, Argument::Kind kind, unsigned depth) {
    uint64_t size = kind == Argument::Kind::Slice ? 3 : count();
    llvm::SmallVector<Argument, 8> elements;
    for (uint64_t i = 0; i < size && mistake_.empty(); ++i)
      elements.push_back(readValue(builder, depth + 1));
    return builder.sequence(kind, elements);
  }

  llvm::SmallVector<NamedArgument, 4> readNamed(ArgumentBuilder &builder, unsigned depth) {
    llvm::SmallVector<NamedArgument, 4> entries;
    uint64_t size = count();
    for (uint64_t i = 0; i < size && mistake_.empty(); ++i) {
      Identifier name = identifier(next());
      entries.push_back({name, readValue(builder, depth + 1)});
    }
    return entries;
  }

  Identifier identifier(int64_t index) { return graph_.context().identifier(text(index)); }

  Argument readValue(ArgumentBuilder &builder, unsigned depth) {
    if (depth > maxDepth) {
      fail("arguments nest deeper than " + std::to_string(maxDepth), "flatten them");
      return Argument::none();
    }
    int64_t kind = next();
    switch (kind) {
    case CCGRAPH_NONE:
      return Argument::none();
    case CCGRAPH_NODE:
      return readNodeReference(builder);
    case CCGRAPH_INT:
      return Argument::integer(next());
    case CCGRAPH_BOOL:
      return Argument::boolean(next() != 0);
    case CCGRAPH_FLOAT:
      return Argument::floating(std::bit_cast<double>(next()));
    case CCGRAPH_STRING:
      return Argument::string(identifier(next()));
    case CCGRAPH_SYMBOLIC:
      return Argument::symbolic(graph_.context().symbolic(text(next())));
    case CCGRAPH_DTYPE:
      return readDType();
    case CCGRAPH_DEVICE:
      return readDevice();
    case CCGRAPH_LAYOUT:
      return Argument::word(Argument::Kind::Layout, identifier(next()));
    case CCGRAPH_MEMORY_FORMAT:
      return Argument::word(Argument::Kind::MemoryFormat, identifier(next()));
    case CCGRAPH_PYTHON:
      return Argument::word(Argument::Kind::Python, identifier(next()));
    case CCGRAPH_LIST:
      return readSequence(builder, Argument::Kind::List, depth);
    case CCGRAPH_TUPLE:
      return readSequence(builder, Argument::Kind::Tuple, depth);
    case CCGRAPH_SLICE:
      return readSequence(builder, Argument::Kind::Slice, depth);
    case CCGRAPH_DICT:
      return builder.dict(readNamed(builder, depth));
    default:
      fail("got a value of kind " + std::to_string(kind) + ", expected 0 to 15", "see ccgraph.h");
      return Argument::none();
    }
  }

  void readNode() {
    code_ = flat_.code_begin[at_];
    end_ = flat_.code_begin[at_ + 1];
    if (flat_.opcodes[at_] > CCGRAPH_OUTPUT || end_ < code_)
      return fail("got opcode " + std::to_string(flat_.opcodes[at_]) + " and arguments of " +
                      std::to_string(end_ - code_) + " words",
                  "opcodes go from 0 to 3, and code_begin never goes back");
    NodeSpec spec;
    spec.opcode = static_cast<Opcode>(flat_.opcodes[at_]);
    spec.name = text(flat_.names[at_]);
    spec.target = identifier(flat_.targets[at_]);
    spec.type = type(flat_.types[at_]);
    spec.frame = frameOf(at_);
    if (mistake_.empty() && graph_.find(spec.name))
      fail("a second node is called '" + spec.name.str() + "'", "names are unique");
    ArgumentBuilder builder(graph_);
    llvm::SmallVector<Argument, 8> positional;
    uint64_t size = count();
    for (uint64_t i = 0; i < size && mistake_.empty(); ++i)
      positional.push_back(readValue(builder, 0));
    llvm::SmallVector<NamedArgument, 4> keyword = readNamed(builder, 0);
    if (!mistake_.empty())
      return;
    nodes_.push_back(graph_.create(spec, std::move(builder), Arguments{positional, keyword}));
  }

  const ccgraph_flat &flat_;
  const ccgraph_around *around_;
  Graph &graph_;
  std::vector<std::optional<llvm::Expected<const Type *>>> types_;
  std::vector<Node *> nodes_;
  std::vector<uint32_t> frames_; ///< frame of the caller -> frame of the graph
  uint32_t at_ = 0;
  uint64_t code_ = 0, end_ = 0;
  std::string mistake_, repair_;
};

} // namespace

ccgraph_error *ccgraph_import(const ccgraph_flat *flat, const char *name, ccgraph_graph **graph) {
  return ccgraph_import_with(flat, nullptr, name, graph);
}

ccgraph_error *ccgraph_import_with(const ccgraph_flat *flat, const ccgraph_around *around, const char *name,
                                   ccgraph_graph **graph) {
  if (!graph || !areWhole(flat, around))
    return usage(
        "ccgraph_import: got NULL or a struct of another size, expected a ccgraph_flat with its arrays and a place for "
        "the graph",
        "set struct_size to sizeof(ccgraph_flat), and that of its surroundings to sizeof(ccgraph_around)");
  auto handle = std::make_unique<ccgraph_graph>();
  handle->graph = std::make_unique<Graph>(handle->context, name ? name : "graph");
  handle->summary.input = handle->graph->name().str();
  FlatReader reader(*flat, around, *handle->graph);
  if (llvm::Error error = reader.read())
    return toError(std::move(error));
  handle->imported = flat->node_count;
  *graph = handle.release();
  return nullptr;
}
