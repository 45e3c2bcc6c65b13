#include "schedule/overlap/longest_chain.h"

#include <algorithm>

namespace ccgraph::overlap {

std::vector<uint32_t> longestChain(const Problem &problem) {
  std::vector<uint32_t> length(problem.steps.size(), 1), previous(problem.steps.size(), none);
  for (uint32_t step = 0; step < problem.steps.size(); ++step)
    for (uint32_t before : problem.before[step])
      if (length[before] >= length[step]) {
        length[step] = length[before] + 1;
        previous[step] = before;
      }
  std::vector<uint32_t> chain;
  if (length.empty())
    return chain;
  for (auto at = static_cast<uint32_t>(std::max_element(length.begin(), length.end()) - length.begin()); at != none;
       at = previous[at])
    chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

} // namespace ccgraph::overlap
