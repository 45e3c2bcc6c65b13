#include "checks.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

llvm::StringRef domainText(Domain domain) {
  switch (domain) {
  case Domain::None:
    return "pure";
  case Domain::Rng:
    return "random";
  case Domain::Comm:
    return "communicating";
  case Domain::Host:
    return "host-visible";
  case Domain::All:
    return "opaque";
  }
  return "";
}

/// A step with a domain, and its positions before and after.
struct Place {
  uint32_t before = 0;
  uint32_t after = 0;
};

/// Steps of one domain keep their order among themselves, and every step with an effect keeps the number of opaque
/// steps before it. For  r1 = rand(); o = opaque(); r2 = rand()  that fixes the order of all three.
class DomainCheck {
public:
  DomainCheck(const Evidence &evidence, Findings &findings) : evidence_(evidence), findings_(findings) {
    for (uint32_t i = 0; i < evidence.before.size(); ++i) {
      Domain domain = evidence.before[i].domain;
      bool waits = evidence.before[i].waits;
      if (domain == Domain::None && !waits)
        continue;
      for (uint32_t now : evidence.correspondence.performances(i)) {
        if (domain != Domain::None)
          places_[static_cast<size_t>(domain)].push_back({i, now});
        if (waits)
          waits_.push_back({i, now});
      }
    }
  }

  void run() {
    for (Domain domain : {Domain::Rng, Domain::Host, Domain::All})
      keepsOrder(domain);
    for (Domain domain : {Domain::Rng, Domain::Host, Domain::Comm})
      keepsSides(domain);
    waitsBefore();
  }

private:
  llvm::ArrayRef<Place> of(Domain domain) const { return places_[static_cast<size_t>(domain)]; }

  void keepsOrder(Domain domain) {
    auto places = of(domain);
    for (size_t i = 1; i < places.size(); ++i)
      if (places[i].after < places[i - 1].after)
        findings_.add(*node(places[i]), "domain",
                      "this " + domainText(domain) + " step is before " + quoted(node(places[i - 1])) +
                          ", another one, expected after it");
  }

  /// No step with an effect moves across an opaque step.
  void keepsSides(Domain domain) {
    for (const Place &place : of(domain)) {
      auto [was, now] = fencesBefore(place);
      if (was != now)
        passed(place, domainText(domain), std::min(was, now));
    }
  }

  /// Checks that every result that was complete before an opaque step still is, since the step may use it.
  void waitsBefore() {
    for (const Place &place : waits_) {
      auto [was, now] = fencesBefore(place);
      if (was < now)
        passed(place, "waiting", was);
    }
  }

  /// Returns how many opaque steps precede a step, before and after.
  [[nodiscard]] std::pair<size_t, size_t> fencesBefore(const Place &place) const {
    auto fences = of(Domain::All);
    auto was = llvm::partition_point(fences, [&](const Place &fence) { return fence.before < place.before; });
    auto now = llvm::partition_point(fences, [&](const Place &fence) { return fence.after < place.after; });
    return {was - fences.begin(), now - fences.begin()};
  }

  void passed(const Place &place, llvm::StringRef kind, size_t fence) {
    findings_.add(*node(place), "domain",
                  "this " + kind + " step passed the opaque " + quoted(node(of(Domain::All)[fence])) +
                      ", expected on its other side");
  }

  const Node *node(const Place &place) const { return evidence_.after[place.after].node; }

  const Evidence &evidence_;
  Findings &findings_;
  std::vector<Place> places_[static_cast<size_t>(Domain::All) + 1];
  std::vector<Place> waits_;
};

} // namespace

void checkDomains(const Evidence &evidence, Findings &findings) { DomainCheck(evidence, findings).run(); }

} // namespace ccgraph::legality
