#include "schedule/overlap/places.h"

#include <numeric>

namespace ccgraph::overlap {

std::vector<size_t> placesOf(const std::vector<uint32_t> &order) {
  std::vector<size_t> places(order.size());
  for (size_t place = 0; place < order.size(); ++place)
    places[order[place]] = place;
  return places;
}

// Counting sort, because orders are long and most steps keep their position.
std::vector<uint32_t> orderedBy(const std::vector<size_t> &places, const std::vector<uint32_t> &order) {
  std::vector<size_t> next(order.size() + 1);
  for (size_t place : places)
    ++next[place + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<uint32_t> ordered(order.size());
  for (uint32_t step : order)
    ordered[next[places[step]]++] = step;
  return ordered;
}

} // namespace ccgraph::overlap
