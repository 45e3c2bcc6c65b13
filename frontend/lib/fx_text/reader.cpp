#include "ccgraph/frontend/fx_text.h"

#include "ccgraph/ir/internal/names.h"
#include "ccgraph/ir/text.h"
#include "fx_text/copied_body.h"
#include "fx_text/load_args.h"
#include "fx_text/log_title.h"
#include "fx_text/scope.h"
#include "fx_text/source_comment.h"
#include "json/guard_list.h"

#include <cstring>

using llvm::StringRef;

namespace ccgraph {

namespace fx {
namespace {

// Reads a text line by line; the indentation of a line determines its scope:
//   class f(torch.nn.Module):                  opens a class; its graph begins at the `def`
//       def forward(self, x):                  opens a scope: the lines of its body are indented deeper
//           relu = torch.ops.aten.relu.default(x)
//           return (relu,)                     closes the scope: the rest of the body is ignored
//           class body(torch.nn.Module):       is not left of the `def`: a subgraph of f
//       self.body = body_0()                   in a class before its graph: the graph of the class body_0, which an
//                                              fx_graph_runnable defines above, is the subgraph `body` of f
//   W0101 12:00:00 a warning                   is outside the body, and is skipped
//
// Reading continues after an error, so a user sees all errors of a file in one run. Two rules keep one mistake from
// causing several errors. First, the name of a wrong statement is still defined, as null; a statement that mentions it
// fails silently. Second, a header that cannot be read closes its scope, so its body is not read. After an error the
// reader returns no graph. Graphs above operators are an exception: they are set aside with their errors (problems.h).
//
// The text may have hundreds of megabytes, so nothing is copied: names and types are slices of the text. memchr finds
// the end of a line, and a repeated type or source comment is looked up by its text.
class FileReader {
public:
  FileReader(Context &context, const SourceText &source, const ReadOptions &options)
      : source_(source), plain_(source.text), problems_(source, plain_, options.errorLimit),
        warnings_(options.warnings),
        listed_(options.listed), session_{context, problems_, llvm::DenseMap<StringRef, const Type *>(),
                                          options.places} {}

  llvm::Expected<GraphList> read() {
    StringRef text = plain_.text();
    end_ = text.end();
    for (const char *at = text.begin(); at != end_;)
      at = line(at);
    closeLoadArgs();
    closeScopes(0);
    if (!problems_.any() && graphs_.empty() && problems_.warnings().empty())
      problems_.error(text.begin(),
                      "got no graph, expected 'class NAME(torch.nn.Module):' and 'def forward(self, ...):'",
                      "print the graph with print_readable(), or log it with TORCH_LOGS=aot_graphs");
    if (problems_.any() || graphs_.empty())
      return problems_.take();
    for (const Diagnostic &warning : problems_.warnings())
      if (warnings_)
        warnings_->add(warning);
    if (listed_)
      list();
    return std::move(graphs_);
  }

private:
  struct ClassLine {
    StringRef name;
    size_t indent = 0;
  };

  /// Fills the list of graphs with the facts that are known now, and with those of the graphs themselves.
  void list() {
    size_t index = 0;
    for (ListedGraph &entry : entries_) {
      if (entry.leftOut.empty())
        describeGraph(*graphs_[index++], entry);
      listed_->push_back(std::move(entry));
    }
  }

  /// Reads the line (or header) at `at`; returns the start of the next one.
  const char *line(const char *at) {
    const auto *newline = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end_ - at)));
    const char *lineEnd = newline ? newline : end_;
    const char *next = newline ? newline + 1 : end_;
    const char *word = at;
    while (word != lineEnd && (*word == ' ' || *word == '\t'))
      ++word;
    if (lineEnd != word && lineEnd[-1] == '\r')
      --lineEnd;
    if (word == lineEnd)
      return next;
    StringRef content(word, static_cast<size_t>(lineEnd - word));
    auto indent = static_cast<size_t>(word - at);
    return dispatch(content, indent, next);
  }

  const char *dispatch(StringRef content, size_t indent, const char *next) {
    if (indent == 0)
      closeLoadArgs();
    bool inBody = !scopes_.empty() && indent > scopes_.back().indent;
    if (content.front() == '=' && !titleOf(content).empty()) {
      openTitle(content);
    } else if (loadArgs_) {
      argumentLine(content);
    } else if (content.startswith("class ")) {
      openClass(content, indent);
    } else if (content.startswith("def forward(")) {
      return openGraph(content, indent, next);
    } else if (content.front() == '#') {
      if (inBody && !scopes_.back().closed)
        sourceComment(content);
    } else if (class_ && content.startswith("self.")) {
      readMember(content);
    } else if (!inBody) {
      outside(content);
    } else if (!scopes_.back().closed) {
      return statement(content, next);
    }
    return next;
  }

  /// Reads one statement, which is one line. Only a return may run over lines, where a program of many outputs was
  /// formatted by a person or a tool: "return (" ends a line, and a line that begins with a closing bracket ends the
  /// statement.
  const char *statement(StringRef content, const char *next) {
    Scope &scope = scopes_.back();
    Cursor cursor{content.begin(), content.end()};
    if (content.startswith("return") && (content.endswith("(") || content.endswith("[")))
      next = cursor.end = closingLine(next);
    // The lines that name the inputs precede the first statement and look like statements, so they are tried first.
    if (scope.begun || !readBinding(session_, scope, cursor))
      readStatement(session_, scope, cursor);
    return next;
  }

  /// Returns the position after the line that begins with a closing bracket; `at` where no such line precedes another
  /// definition.
  const char *closingLine(const char *at) {
    StringRef rest(at, static_cast<size_t>(end_ - at));
    while (!rest.empty()) {
      auto [line, tail] = rest.split('\n');
      line = line.ltrim();
      if (line.startswith(")") || line.startswith("]"))
        return tail.empty() ? end_ : tail.begin();
      if (line.startswith("class ") || line.startswith("def "))
        break;
      rest = tail;
    }
    return at;
  }

  /// Reads the inputs of an fx_graph_runnable, which are below the graph.
  void openLoadArgs(StringRef content) {
    if (graphs_.empty() || !entries_.back().leftOut.empty())
      return;
    entries_.back().kind = "fx_graph_runnable";
    loadArgs_.emplace(session_, *graphs_.back(), content.begin());
  }

  void argumentLine(StringRef content) {
    if (content.front() != '#')
      loadArgs_->line({content.begin(), content.end()});
  }

  void closeLoadArgs() {
    if (loadArgs_)
      loadArgs_->end();
    loadArgs_.reset();
  }

  /// TORCH_LOGS puts the path of a file before the class that it prints.
  void outside(StringRef content) {
    if (content.startswith("def load_args(")) {
      closeScopes(0);
      return openLoadArgs(content);
    }
    if (!graphs_.empty() && content.contains("process_group"))
      readProcessGroups(session_, *graphs_.back(), {content.begin(), content.end()});
    size_t at = content.find(" class ");
    if (at != StringRef::npos && content.contains("(torch.nn.Module)"))
      openClass(content.drop_front(at + 1), 0);
    else if (!scopes_.empty())
      close(scopes_.back());
  }

  /// "===== Forward graph 0 =====" describes the next graph.
  void openTitle(StringRef content) {
    if (!scopes_.empty())
      close(scopes_.back());
    closeScopes(0);
    title_ = titleOf(content);
    titleMarks_ = plain_.before(static_cast<size_t>(content.begin() - plain_.text().begin()));
  }

  void openClass(StringRef content, size_t indent) {
    content = content.drop_front(StringRef("class ").size()).ltrim();
    StringRef name = content.take_until([](char c) { return c == '(' || c == ':' || c == ' '; });
    StringRef comment = content.split(":  # ").second;
    class_ = ClassLine{!comment.empty() && className(comment) == name ? comment : name, indent};
    if (!isOneLine(class_->name))
      class_->name = session_.context.identifier(visibleText(class_->name)).str();
    members_.clear();
    closeScopes(indent);
  }

  /// Reads "self.body = body_0()", a line of the `__init__` of a class. Lines of other forms define parameters.
  void readMember(StringRef content) {
    auto [member, value] = content.drop_front(StringRef("self.").size()).split(" = ");
    if (value.consume_back("()") && isIdentifier(member) && isIdentifier(value))
      members_.push_back({member, value});
  }

  /// Makes the graphs of the classes that the members name subgraphs of the graph that begins here, the last one.
  void adoptMembers() {
    Graph &parent = *graphs_.back();
    for (auto [member, name] : members_) {
      Identifier key = session_.context.identifier(member);
      if (std::unique_ptr<Graph> body = parent.subgraph(key) ? nullptr : takeGraph(name))
        copyBody(*body, parent.addSubgraph(key), session_.places);
    }
    members_.clear();
  }

  /// Takes the last graph of this name, except the open one, from the list; null where there is none.
  std::unique_ptr<Graph> takeGraph(StringRef name) {
    for (size_t i = graphs_.size() - 1; i-- > 0;)
      if (graphs_[i]->name() == name) {
        std::unique_ptr<Graph> graph = std::move(graphs_[i]);
        graphs_.erase(graphs_.begin() + static_cast<ptrdiff_t>(i));
        entries_.erase(entryOf(i));
        return graph;
      }
    return nullptr;
  }

  /// Returns the entry of the graph at `index`: graphs that were left out have entries too.
  std::vector<ListedGraph>::iterator entryOf(size_t index) {
    auto at = entries_.begin();
    for (; !at->leftOut.empty() || index-- > 0; ++at)
      ;
    return at;
  }

  const char *openGraph(StringRef content, size_t indent, const char *next) {
    if (!class_)
      closeScopes(0);
    Scope &scope = scopes_.emplace_back();
    scope.place = content.begin();
    scope.indent = indent;
    scope.inner = class_ ? indent : indent + 1;
    scope.graph = newGraph(class_ ? class_->name : "graph", content.begin());
    if (scopes_.size() == 1) {
      openEntry(content.begin());
      adoptMembers();
    }
    class_.reset();
    Cursor cursor{content.begin() + StringRef("def forward(").size(), end_};
    scope.closed = !readHeader(session_, scope, cursor);
    if (scope.closed)
      return next;
    const auto *newline =
        static_cast<const char *>(std::memchr(cursor.at, '\n', static_cast<size_t>(end_ - cursor.at)));
    return newline ? newline + 1 : end_;
  }

  /// Adds the entry of the graph that begins here, with the facts of the log. The rank and the compilation come from
  /// the marks of its title, or else from its own marks.
  void openEntry(const char *place) {
    ListedGraph &entry = entries_.emplace_back();
    StringRef marks = title_.empty() ? plain_.before(static_cast<size_t>(place - plain_.text().begin())) : titleMarks_;
    entry.file = source_.name;
    entry.name = graphs_.back()->name().str();
    entry.kind = title_.empty() ? "readable" : kindOfTitle(title_);
    entry.stage = stageOf(entry.kind);
    entry.rank = rankOfMarks(marks);
    entry.compileId = compileIdOfMarks(marks);
    if (listed_ != nullptr)
      entry.line = positionAt(source_, problems_.offsetOf(place)).line;
    isLogged_ = !title_.empty();
    title_ = {};
  }

  /// A class inside another is a subgraph of it. A duplicate name also gets a graph, which is dropped later: the lines
  /// of its body need one.
  Graph *newGraph(StringRef name, const char *place) {
    if (scopes_.size() == 1 && problems_.any()) { // no graph leaves the reader then, and a text may have very many
      graphs_.clear();
      entries_.clear();
    }
    if (scopes_.size() == 1)
      return graphs_.emplace_back(std::make_unique<Graph>(session_.context, name)).get();
    Graph &parent = *scopes_[scopes_.size() - 2].graph;
    Identifier key = session_.context.identifier(name);
    if (parent.subgraph(key) == nullptr)
      return &parent.addSubgraph(key);
    problems_.error(place, "got a second subgraph named '" + name.str() + "', expected a new name");
    return refused_.emplace_back(std::make_unique<Graph>(session_.context, name)).get();
  }

  /// Ends every graph whose body cannot hold a class at this column.
  void closeScopes(size_t indent) {
    while (!scopes_.empty() && (indent == 0 || scopes_.back().inner > indent)) {
      close(scopes_.back());
      if (scopes_.size() == 1)
        endGraph(scopes_.front());
      scopes_.pop_back();
    }
  }

  /// Removes a graph above operators from the list, together with the assumptions about its types.
  void endGraph(Scope &scope) {
    std::string reason = problems_.endGraph({scope.graph->name(), scope.place, isLogged_});
    if (reason.empty())
      return;
    entries_.back().leftOut = std::move(reason);
    session_.types.clear();
    refused_.push_back(std::move(graphs_.back()));
    graphs_.pop_back();
  }

  void close(Scope &scope) {
    if (!scope.closed)
      problems_.error(scope.place,
                      "got the graph '" + scope.graph->name().str() +
                          "' without a return, expected 'return (...)' at its end",
                      "the text may be cut off: print the whole graph");
    scope.closed = true;
  }

  void readGuards(Graph &graph, StringRef text) {
    if (std::optional<std::vector<Guard>> guards = parseJsonGuards(text)) {
      graph.guards = std::move(*guards);
      return;
    }
    problems_.error(text.begin(),
                    "got the guards " + text.str() + R"(, expected a list of {"fact": "size", "of": "tp", "value": 4})",
                    "remove the comment, and the facts of the trace are not checked");
  }

  void sourceComment(StringRef comment) {
    Scope &scope = scopes_.back();
    if (StringRef guards = comment; guards.consume_front("# guards: "))
      return readGuards(*scope.graph, guards.trim());
    auto [entry, isNew] = scope.frames.try_emplace(comment, 0);
    if (isNew) {
      std::optional<Frame> frame = parseSourceComment(session_.context, comment);
      entry->second = frame ? scope.graph->addFrame(*frame) : scope.frame;
    }
    scope.frame = entry->second;
  }

  const SourceText &source_;
  PlainText plain_;
  Problems problems_;
  Diagnostics *warnings_;
  std::vector<ListedGraph> *listed_;
  Session session_;
  const char *end_ = nullptr;
  GraphList graphs_;
  GraphList refused_;                                    ///< kept until the end, because scopes refer to them
  std::vector<Scope> scopes_;                            ///< the open graphs, outermost first
  std::vector<ListedGraph> entries_;                     ///< of each graph, in order
  StringRef title_;                                      ///< of the next graph
  StringRef titleMarks_;                                 ///< marks before it in its line
  bool isLogged_ = false;                                ///< the open graph has a title
  std::optional<LoadArgs> loadArgs_;                     ///< of the last graph, while its lines come
  std::optional<ClassLine> class_;                       ///< a class whose `def forward` is still to come
  std::vector<std::pair<StringRef, StringRef>> members_; ///< of that class: member and class of its value
};

} // namespace
} // namespace fx

llvm::Expected<GraphList> readFxText(Context &context, const SourceText &source, const ReadOptions &options) {
  return fx::FileReader(context, source, options).read();
}

} // namespace ccgraph
