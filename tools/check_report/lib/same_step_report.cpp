#include "check_report/same_step_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace ccgraph::report {
namespace {

using equality::StepAnswer;
using equality::StepPlace;
using equality::WrongOutput;

/// How many outputs and nodes a text lists.
constexpr size_t mostListed = 10;

std::string elementText(const WrongOutput &output) {
  std::string text = output.of + "[";
  for (size_t i = 0; i != output.element.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(output.element[i]);
  return text + "] on rank " + std::to_string(output.rank) + (output.inReference ? " of the reference" : "");
}

void writePlaces(llvm::raw_ostream &os, llvm::StringRef title, llvm::ArrayRef<StepPlace> places) {
  if (!places.empty())
    os << title << '\n';
  for (const StepPlace &place : places.take_front(mostListed))
    os << "  rank " << place.rank << ": " << visibleText(place.node)
       << (place.source.empty() ? "" : " (" + visibleText(place.source) + ")") << '\n';
}

void writeDifference(llvm::raw_ostream &os, const StepAnswer &answer) {
  os << "not the same: " << counted(answer.wrong.size(), "output")
     << (answer.wrong.size() == 1 ? " differs" : " differ") << '\n';
  for (const WrongOutput &output : llvm::ArrayRef(answer.wrong).take_front(mostListed))
    os << "  " << visibleText(elementText(output))
       << (output.replicasDiffer ? "; ranks that should hold equal values differ" : "") << '\n';
  if (answer.wrong.size() > mostListed)
    os << "  and " << answer.wrong.size() - mostListed << " more\n";
  writePlaces(os, "look first at:", answer.where);
  writePlaces(os, "in the reference:", answer.whereInReference);
}

void writePlace(llvm::json::OStream &json, const StepPlace &place) {
  json.object([&] {
    json.attribute("rank", place.rank);
    json.attribute("node", llvm::json::fixUTF8(place.node));
    json.attribute("source", llvm::json::fixUTF8(place.source));
  });
}

void writeOutput(llvm::json::OStream &json, const WrongOutput &output) {
  json.object([&] {
    json.attribute("of", llvm::json::fixUTF8(output.of));
    json.attribute("rank", output.rank);
    json.attributeArray("element", [&] {
      for (int64_t index : output.element)
        json.value(index);
    });
    json.attribute("replicas_differ", output.replicasDiffer);
    json.attribute("in_reference", output.inReference);
  });
}

} // namespace

void writeSameStepText(llvm::raw_ostream &os, const StepAnswer &answer) {
  if (!answer.equal)
    os << "cannot be decided\n";
  else if (*answer.equal)
    os << "the same: the outputs of all ranks are those of the " << (answer.ofForms ? "other form" : "single step")
       << " (error probability at most " << llvm::format("%.0e", answer.errorProbability) << ")\n";
  else
    writeDifference(os, answer);
  for (const std::string &text : answer.assumed)
    os << (answer.equal ? "assumed: " : "because: ") << visibleText(text) << '\n';
}

void writeSameStepJson(llvm::raw_ostream &os, const StepAnswer &answer) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("equal", answer.equal ? llvm::json::Value(*answer.equal) : llvm::json::Value(nullptr));
    json.attributeArray("outputs_wrong", [&] {
      for (const WrongOutput &output : answer.wrong)
        json.value(llvm::json::fixUTF8(output.of));
    });
    json.attributeArray("where", [&] {
      for (const StepPlace &place : answer.where)
        writePlace(json, place);
    });
    json.attributeArray("where_in_reference", [&] {
      for (const StepPlace &place : answer.whereInReference)
        writePlace(json, place);
    });
    json.attributeArray("counter_examples", [&] {
      for (const WrongOutput &output : answer.wrong)
        writeOutput(json, output);
    });
    json.attributeArray("assumed", [&] {
      for (const std::string &text : answer.assumed)
        json.value(llvm::json::fixUTF8(text));
    });
    json.attribute("error_probability",
                   answer.equal ? llvm::json::Value(answer.errorProbability) : llvm::json::Value(nullptr));
  });
  os << '\n';
}

} // namespace ccgraph::report
