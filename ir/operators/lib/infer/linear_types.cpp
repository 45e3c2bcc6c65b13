#include "infer/linear_types.h"

#include "llvm/Support/MathExtras.h"

namespace ccgraph::infer {
namespace {

/// "2*u0" -> 2 and "u0"; "u0" -> 1 and "u0"; "7" -> 7 and "".
std::pair<int64_t, llvm::StringRef> factorOf(llvm::StringRef term) {
  int64_t number = 1;
  if (!term.getAsInteger(10, number))
    return {number, ""};
  auto [first, rest] = term.split('*');
  if (!rest.empty() && !rest.contains('*') && !first.getAsInteger(10, number))
    return {number, rest};
  return {1, term};
}

} // namespace

std::optional<Linear> Linear::parse(const Dim &dim) {
  Linear result;
  if (dim.isStatic()) {
    result.constant_ = dim.value();
    return result;
  }
  llvm::StringRef text = dim.expr()->text();
  if (text.find_first_of("()/%") != llvm::StringRef::npos) {
    result.terms_.emplace_back(text.str(), 1);
    return result;
  }
  int64_t sign = 1;
  while (!text.empty()) {
    size_t plus = std::min(text.find(" + "), text.find(" - "));
    auto [factor, name] = factorOf(text.take_front(plus).trim());
    Linear term;
    if (name.empty())
      term.constant_ = factor;
    else
      term.terms_.emplace_back(name.str(), factor);
    std::optional<Linear> sum = result.plus(term, sign);
    if (!sum)
      return std::nullopt;
    result = std::move(*sum);
    if (plus == llvm::StringRef::npos)
      break;
    sign = text[plus + 1] == '-' ? -1 : 1;
    text = text.drop_front(plus + 3);
  }
  return result;
}

std::optional<Linear> Linear::plus(const Linear &other, int64_t factor) const {
  Linear result = *this;
  int64_t scaled = 0;
  if (llvm::MulOverflow(other.constant_, factor, scaled) ||
      llvm::AddOverflow(result.constant_, scaled, result.constant_))
    return std::nullopt;
  for (const auto &[name, count] : other.terms_) {
    if (llvm::MulOverflow(count, factor, scaled))
      return std::nullopt;
    auto *same = llvm::find_if(result.terms_, [&, &key = name](const auto &term) { return term.first == key; });
    if (same == result.terms_.end())
      result.terms_.emplace_back(name, scaled);
    else if (llvm::AddOverflow(same->second, scaled, same->second))
      return std::nullopt;
  }
  llvm::erase_if(result.terms_, [](const auto &term) { return term.second == 0; });
  return result;
}

std::optional<Linear> Linear::times(int64_t factor) const { return Linear().plus(*this, factor); }

std::optional<Linear> Linear::over(int64_t divisor) const {
  Linear result = *this;
  if (divisor <= 0 || constant_ % divisor != 0)
    return std::nullopt;
  result.constant_ /= divisor;
  for (auto &[name, count] : result.terms_) {
    if (count % divisor != 0)
      return std::nullopt;
    count /= divisor;
  }
  return result;
}

std::optional<int64_t> Linear::number() const { return terms_.empty() ? std::optional(constant_) : std::nullopt; }

Dim Linear::dim(Context &context) const {
  if (terms_.empty())
    return Dim(constant_);
  std::string text;
  auto append = [&](int64_t count, llvm::StringRef name) {
    bool negative = count < 0 && !text.empty();
    text += text.empty() ? "" : negative ? " - " : " + ";
    int64_t shown = negative ? -count : count;
    text += name.empty() ? std::to_string(shown) : (shown == 1 ? "" : std::to_string(shown) + "*") + name.str();
  };
  for (const auto &[name, count] : terms_)
    append(count, name);
  if (constant_ != 0)
    append(constant_, "");
  return Dim(context.symbolic(text));
}

} // namespace ccgraph::infer
