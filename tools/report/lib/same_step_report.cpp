#include "report/same_step_report.h"

#include "ccgraph/ir/text.h"

#include "llvm/Support/Format.h"

#include <nlohmann/json.hpp>

namespace ccgraph::report {
namespace {

using Json = nlohmann::ordered_json;
using equality::StepAnswer;
using equality::StepPlace;
using equality::WrongOutput;

/// How many outputs and nodes a text lists.
constexpr size_t mostListed = 10;

std::string elementText(const WrongOutput &output) {
  std::string text = output.of + "[";
  for (size_t i = 0; i != output.element.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(output.element[i]);
  return text + "] on rank " + std::to_string(output.rank);
}

void writeDifference(llvm::raw_ostream &os, const StepAnswer &answer) {
  os << "not the same: " << counted(answer.wrong.size(), "output")
     << (answer.wrong.size() == 1 ? " differs" : " differ") << '\n';
  for (const WrongOutput &output : llvm::ArrayRef(answer.wrong).take_front(mostListed))
    os << "  " << visibleText(elementText(output))
       << (output.replicasDiffer ? "; ranks that should hold equal values differ" : "") << '\n';
  if (answer.wrong.size() > mostListed)
    os << "  and " << answer.wrong.size() - mostListed << " more\n";
  if (!answer.where.empty())
    os << "look first at:\n";
  for (const StepPlace &place : llvm::ArrayRef(answer.where).take_front(mostListed))
    os << "  rank " << place.rank << ": " << visibleText(place.node)
       << (place.source.empty() ? "" : " (" + visibleText(place.source) + ")") << '\n';
}

} // namespace

void writeSameStepText(llvm::raw_ostream &os, const StepAnswer &answer) {
  if (!answer.equal)
    os << "cannot be decided\n";
  else if (*answer.equal)
    os << "the same: the outputs of all ranks are those of the single step (error probability at most "
       << llvm::format("%.0e", answer.errorProbability) << ")\n";
  else
    writeDifference(os, answer);
  for (const std::string &text : answer.assumed)
    os << (answer.equal ? "assumed: " : "because: ") << visibleText(text) << '\n';
}

void writeSameStepJson(llvm::raw_ostream &os, const StepAnswer &answer) {
  Json json;
  json["equal"] = answer.equal ? Json(*answer.equal) : Json(nullptr);
  json["outputs_wrong"] = Json::array();
  json["where"] = Json::array();
  json["counter_examples"] = Json::array();
  for (const WrongOutput &output : answer.wrong) {
    json["outputs_wrong"].push_back(output.of);
    json["counter_examples"].push_back({{"of", output.of},
                                        {"rank", output.rank},
                                        {"element", output.element},
                                        {"replicas_differ", output.replicasDiffer}});
  }
  for (const StepPlace &place : answer.where)
    json["where"].push_back({{"rank", place.rank}, {"node", place.node}, {"source", place.source}});
  json["assumed"] = answer.assumed;
  json["error_probability"] = answer.equal ? Json(answer.errorProbability) : Json(nullptr);
  os << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace ccgraph::report
