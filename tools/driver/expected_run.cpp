#include "driver/expected_run.h"

#include "ccgraph/frontend/json_plan.h"
#include "ccgraph/toolkit/equivalence_check.h"
#include "ccgraph/toolkit/graph_files.h"
#include "ccgraph/toolkit/group_assumption.h"
#include "ccgraph/toolkit/text.h"

#include "ccgraph/ir/value_names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace ccgraph::driver {
namespace {

llvm::Error refusal(const std::string &file, const llvm::Twine &message, const char *repair) {
  Diagnostic diagnostic = diagnose("run.expect", message.str(), repair);
  diagnostic.file = file;
  return makeError(std::move(diagnostic));
}

using Renaming = std::vector<std::pair<std::string, std::string>>;

/// All entries are renamed together, since one side may use the names of the other in another order.
void rename(TensorMap &values, const Renaming &renaming) {
  std::vector<TensorMap::node_type> moved;
  for (const auto &[from, to] : renaming)
    if (moved.push_back(values.extract(from)); !moved.back().empty())
      moved.back().key() = to;
  for (TensorMap::node_type &value : moved)
    if (!value.empty())
      values.insert(std::move(value));
}

} // namespace

llvm::Error ExpectedRun::load(llvm::raw_ostream &err) {
  llvm::Expected<InputFile> file = InputFile::open(options_.expect);
  if (!file)
    return file.takeError();
  file_.emplace(std::move(*file));
  if (isPlan(file_->text()))
    return refusal(file_->name(), "--expect: got a plan, expected a graph", "give the graph that it was made of");
  Diagnostics warnings;
  llvm::Expected<std::unique_ptr<Graph>> graph = loadGraph(program_.context(), *file_, "", &warnings);
  err << toString(warnings.take());
  if (!graph)
    return graph.takeError();
  graph_ = std::move(*graph);
  if (llvm::Error error = addGroupsOfProgram())
    return error;
  assumeGroups(*graph_, program_.ranks());
  if (llvm::Error error = checkWellFormed(*graph_))
    return withPlaces(std::move(error), place());
  for (const Node *node : *graph_)
    if (node->opcode() == Opcode::Placeholder)
      names_.push_back(inputName(node->name().str()));
  return llvm::Error::success();
}

llvm::Error ExpectedRun::addGroupsOfProgram() {
  objects_ = program_.objects();
  if (program_.isPlanned())
    for (const Group &group : program_.plans().front()->groups)
      if (!graph_->groups().find(group.name))
        graph_->groups().set(group);
  return addGroupsAndObjects(*graph_, objects_, options_.groups.empty() ? llvm::StringRef() : options_.groups.front());
}

llvm::Error ExpectedRun::checkInputs() const {
  for (size_t rank = 0; rank < program_.ranks(); ++rank)
    if (size_t given = program_.inputNames(rank).size(); given != names_.size())
      return refusal(file_->name(),
                     "--expect: takes " + counted(names_.size(), "input") + ", and the program that is run " +
                         llvm::Twine(given),
                     "inputs are matched by position: compare programs with equally many inputs");
  return llvm::Error::success();
}

llvm::Expected<runtime::RunResult> ExpectedRun::run(std::vector<TensorMap> inputs) const {
  runtime::RunRequest request;
  request.graphs = {graph_.get()};
  request.ranks = program_.ranks();
  request.objects = objects_;
  request.memoryLimit = machineMemory();
  request.kernels = options_.kernels;
  std::vector<Renaming> backwards(program_.ranks());
  for (size_t rank = 0; rank < program_.ranks(); ++rank) {
    Renaming forwards;
    for (auto [theirs, ours] : llvm::zip(program_.inputNames(rank), names_)) {
      forwards.emplace_back(theirs, ours);
      backwards[rank].emplace_back(afterName(*placeholderOfInput(ours)), afterName(*placeholderOfInput(theirs)));
    }
    rename(inputs[rank], forwards);
  }
  request.inputs = std::move(inputs);
  llvm::Expected<runtime::RunResult> result = interpret(request);
  if (!result)
    return withPlaces(result.takeError(), place());
  for (size_t rank = 0; rank < result->size(); ++rank)
    rename((*result)[rank], backwards[rank]);
  return result;
}

} // namespace ccgraph::driver
