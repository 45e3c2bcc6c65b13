#include "stage_binding.h"

#include "stage_results.h"

#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

/// Returns whether one value can take the place of the other. Strides and devices differ where a value is received.
bool fits(const Type *a, const Type *b) {
  return a && b && a->isTensor() && b->isTensor() && a->dtype() == b->dtype() && a->sizes() == b->sizes();
}

/// "x: f32[4]"
std::string namedType(const Node &node) { return node.name().str().str() + ": " + typeText(node.type()); }

class StageBinder {
public:
  StageBinder(llvm::ArrayRef<StagesFileEntry> entries, std::vector<PipelineStage> &stages)
      : entries_(entries), stages_(stages) {}

  std::vector<Diagnostic> bind() {
    for (size_t i = 0; i != stages_.size(); ++i)
      bindForward(i);
    // What does not fit forward would not fit backward either.
    for (size_t i = stages_.size(); i != 0 && findings_.empty(); --i)
      bindBackwards(i - 1);
    for (size_t i = 0; i != stages_.size() && findings_.empty(); ++i)
      checkShards(i);
    return std::move(findings_);
  }

private:
  void add(const StageGraph &graph, size_t stage, const std::string &message, std::string repair) {
    findings_.push_back(stagesError(graph.path, "stage " + std::to_string(stage) + ": " + message, std::move(repair)));
  }

  void bindForward(size_t i) {
    StageGraph &forward = stages_[i].forward;
    if (i + 1 != stages_.size())
      forward.sent = resultAt(forward, i, entries_[i].output, "output");
    if (i != 0 && stages_[i - 1].forward.sent)
      forward.received = placeholder(forward, i, entries_[i].input, *stages_[i - 1].forward.sent);
  }

  void bindBackwards(size_t i) {
    PipelineStage &stage = stages_[i];
    for (StageGraph *graph : {&stage.backward, &stage.backwardInput})
      if (graph->graph) {
        if (i + 1 != stages_.size())
          bindOutputGradient(*graph, i);
        if (i != 0)
          graph->sent = inputGradient(*graph, i);
      }
    for (const StageGraph *graph : {&stage.backward, &stage.backwardInput, &stage.backwardWeight})
      if (graph->graph)
        checkSaved(*graph, i);
  }

  /// What UNSHARD returns, other graphs of the stage take by name; so does REDUCE_GRAD what the backwards return.
  void checkShards(size_t i) {
    const PipelineStage &stage = stages_[i];
    if (stage.unshard.graph)
      checkNames(i, stage.unshard, resultsOf(*stage.unshard.graph), [&](llvm::StringRef name) {
        return firstOf({&stage.forward, &stage.backward, &stage.backwardInput, &stage.backwardWeight}, name,
                       placeholderOf);
      });
    if (stage.reduceGradient.graph)
      checkNames(i, stage.reduceGradient, placeholdersOf(*stage.reduceGradient.graph), [&](llvm::StringRef name) {
        return firstOf({&stage.backward, &stage.backwardInput, &stage.backwardWeight}, name, valueOf);
      });
  }

  static const Node *firstOf(std::initializer_list<const StageGraph *> graphs, llvm::StringRef name,
                             const Node *(*find)(const Graph &, llvm::StringRef)) {
    for (const StageGraph *own : graphs)
      if (const Node *node = own->graph ? find(*own->graph, name) : nullptr)
        return node;
    return nullptr;
  }

  /// At least one of the values must have a partner of its name, and each partner its type.
  void checkNames(size_t i, const StageGraph &graph, llvm::ArrayRef<const Node *> values,
                  llvm::function_ref<const Node *(llvm::StringRef)> partnerOf) {
    bool isUnshard = &graph == &stages_[i].unshard, hasPartner = false;
    for (const Node *value : values) {
      const Node *partner = value ? partnerOf(value->name().str()) : nullptr;
      hasPartner |= partner != nullptr;
      if (partner && !fits(value->type(), partner->type()))
        add(graph, i,
            std::string("the graph ") + (isUnshard ? "returns " : "takes ") + namedType(*value) + ", expected " +
                typeText(partner->type()) + ", as " + partner->graph()->name().str() + " has it",
            "give the graphs of one compilation");
    }
    if (!hasPartner)
      add(graph, i,
          isUnshard ? "no result of \"unshard\" has the name of a placeholder of the stage's other graphs"
                    : "no placeholder of \"reduce_grad\" has the name of a result of the stage's backward graphs",
          "values are bound by their names: rename them in one of the graphs");
  }

  /// The gradient comes from any of the graphs of the next stage that compute it.
  void bindOutputGradient(StageGraph &graph, size_t i) {
    const PipelineStage &next = stages_[i + 1];
    for (const StageGraph *from : {&next.backward, &next.backwardInput})
      if (from->graph && from->sent)
        graph.received = placeholder(graph, i, entries_[i].outputGradient, *from->sent);
  }

  // --- Results -------------------------------------------------------------------------------------------------------

  /// Returns the result at a place; null and an error if it cannot be sent.
  const Node *resultAt(const StageGraph &graph, size_t stage, int64_t place, const std::string &member) {
    std::vector<const Node *> results = resultsOf(*graph.graph);
    const Node *result = place < static_cast<int64_t>(results.size()) ? results[static_cast<size_t>(place)] : nullptr;
    if (!result || !result->type() || !result->type()->isTensor()) {
      add(graph, stage,
          "result " + std::to_string(place) + " of " + std::to_string(results.size()) +
              " is no tensor with a known type, expected what the stage sends",
          "\"" + member + "\" of the stages file is the place of that result, from 0");
      return nullptr;
    }
    if (!llvm::all_of(result->type()->sizes(), [](const Dim &size) { return size.isStatic(); })) {
      add(graph, stage, "the graph sends " + namedType(*result) + ", expected sizes that are numbers",
          "give the graph of static shapes: the check compares the number of elements of each transfer");
      return nullptr;
    }
    return result;
  }

  /// AOTAutograd returns a gradient for each input of the forward, in their order.
  const Node *inputGradient(const StageGraph &graph, size_t i) {
    std::optional<int64_t> place = entries_[i].inputGradient;
    const Node &input = *stages_[i].forward.received;
    std::vector<const Node *> results = resultsOf(*graph.graph);
    if (!place)
      place = placeOfGradient(results, input);
    if (!place) {
      add(graph, i, "which result is the gradient of " + namedType(input) + " is not clear",
          "\"input_gradient\" of the stages file is the place of that result, from 0");
      return nullptr;
    }
    const Node *result = resultAt(graph, i, *place, "input_gradient");
    if (!result || fits(result->type(), input.type()))
      return result;
    add(graph, i,
        "result " + std::to_string(*place) + " is " + namedType(*result) + ", expected the gradient of " +
            namedType(input),
        "\"input_gradient\" of the stages file is the place of the gradient in the results, from 0");
    return nullptr;
  }

  static std::optional<int64_t> placeOfGradient(llvm::ArrayRef<const Node *> results, const Node &input) {
    std::vector<const Node *> placeholders;
    for (const Node *node : *input.graph())
      if (node->opcode() == Opcode::Placeholder)
        placeholders.push_back(node);
    if (placeholders.size() == results.size())
      return llvm::find(placeholders, &input) - placeholders.begin();
    std::optional<int64_t> only;
    for (size_t i = 0; i != results.size(); ++i)
      if (results[i] && fits(results[i]->type(), input.type())) {
        if (only)
          return std::nullopt;
        only = static_cast<int64_t>(i);
      }
    return only;
  }

  // --- Placeholders --------------------------------------------------------------------------------------------------

  /// Returns the placeholder that takes the value `sent` of the neighboring stage.
  const Node *placeholder(const StageGraph &graph, size_t stage, const std::string &name, const Node &sent) {
    if (!name.empty())
      return namedPlaceholder(graph, stage, name, sent);
    std::vector<const Node *> fitting;
    std::vector<std::string> got;
    for (const Node *node : *graph.graph)
      if (node->opcode() == Opcode::Placeholder && !isSaved(stage, graph, *node)) {
        got.push_back(namedType(*node));
        if (fits(node->type(), sent.type()))
          fitting.push_back(node);
      }
    if (fitting.size() == 1)
      return fitting.front();
    std::string which = fitting.empty() ? "no placeholder has" : std::to_string(fitting.size()) + " placeholders have";
    add(graph, stage,
        which + " the type of what the neighboring stage sends: got " + llvm::join(got, ", ") + ", expected one for " +
            namedType(sent),
        repairOf(graph, stage));
    return nullptr;
  }

  const Node *namedPlaceholder(const StageGraph &graph, size_t stage, const std::string &name, const Node &sent) {
    const Node *node = placeholderOf(*graph.graph, name);
    if (node && fits(node->type(), sent.type()))
      return node;
    add(graph, stage,
        (node ? "the graph takes " + namedType(*node) : "there is no placeholder " + name) + ", expected one for " +
            namedType(sent) + " of the neighboring stage",
        repairOf(graph, stage));
    return nullptr;
  }

  std::string repairOf(const StageGraph &graph, size_t stage) const {
    bool isForward = &graph == &stages_[stage].forward;
    return std::string("\"") + (isForward ? "input" : "output_gradient") +
           "\" of the stages file names the placeholder; both stages must be compiled for one size of the microbatch";
  }

  /// Returns the value of the forward, or of backward_input, that has the name of the placeholder of a backward.
  const Node *savedValue(size_t stage, const StageGraph &graph, const Node &placeholder) const {
    const PipelineStage &own = stages_[stage];
    llvm::StringRef name = placeholder.name().str();
    if (&graph == &own.forward)
      return nullptr;
    if (&graph == &own.backwardWeight && own.backwardInput.graph)
      if (const Node *value = valueOf(*own.backwardInput.graph, name))
        return value;
    return valueOf(*own.forward.graph, name);
  }
  bool isSaved(size_t stage, const StageGraph &graph, const Node &placeholder) const {
    return savedValue(stage, graph, placeholder) != nullptr;
  }

  /// Symbolic sizes of separate graphs have names of their own, so only static sizes are compared.
  void checkSaved(const StageGraph &graph, size_t stage) {
    for (const Node *node : *graph.graph) {
      if (node->opcode() != Opcode::Placeholder || node == graph.received)
        continue;
      const Node *value = savedValue(stage, graph, *node);
      bool areTensors = value && node->type() && value->type() && node->type()->isTensor() && value->type()->isTensor();
      if (areTensors && node->type()->numElements() && value->type()->numElements() &&
          !fits(node->type(), value->type()))
        add(graph, stage,
            "the graph takes " + namedType(*node) + ", expected " + typeText(value->type()) + ", as " +
                value->graph()->name().str() + " has it",
            "give the forward and backward graphs of one compilation");
    }
  }

  llvm::ArrayRef<StagesFileEntry> entries_;
  std::vector<PipelineStage> &stages_;
  std::vector<Diagnostic> findings_;
};

} // namespace

Diagnostic stagesError(const std::string &file, std::string message, std::string repair) {
  Diagnostic diagnostic = diagnose("pipeline.graphs", std::move(message), std::move(repair));
  diagnostic.file = file;
  return diagnostic;
}

std::vector<Diagnostic> bindStages(llvm::ArrayRef<StagesFileEntry> entries, std::vector<PipelineStage> &stages) {
  return StageBinder(entries, stages).bind();
}

} // namespace ccgraph
