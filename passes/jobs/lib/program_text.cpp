#include "program_text.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace ccgraph::jobs {
namespace {

constexpr Id launchesOfBlock = 64;
/// stands for a number in a form
constexpr char numberMark = '\1';
/// begins a form that is the whole name
constexpr char wholeMark = '\2';

using Values = llvm::SmallVector<int64_t, 4>;

/// Returns how many characters of the text are a number that its value gives back: without zeros before it.
size_t numberLength(llvm::StringRef text) {
  constexpr size_t mostDigits = 15;
  size_t length = text.take_while(llvm::isDigit).size();
  return length > mostDigits || (length > 1 && text.front() == '0') ? 0 : length;
}

/// Divides a name into its form and numbers.
std::string formOf(llvm::StringRef name, Values &values) {
  if (name.contains(numberMark) || name.startswith(llvm::StringRef(&wholeMark, 1)))
    return wholeMark + name.str();
  std::string form;
  while (!name.empty()) {
    if (size_t length = numberLength(name)) {
      values.emplace_back();
      name.take_front(length).getAsInteger(10, values.back());
      form += numberMark;
      name = name.drop_front(length);
      continue;
    }
    // Digits that are no number belong to the form as a whole.
    size_t length = std::max<size_t>(name.take_while(llvm::isDigit).size(), 1);
    form += name.take_front(length);
    name = name.drop_front(length);
  }
  return form;
}

std::string nameOf(llvm::StringRef form, llvm::ArrayRef<int64_t> values) {
  if (form.startswith(llvm::StringRef(&wholeMark, 1)))
    return form.drop_front().str();
  std::string name;
  for (char character : form)
    if (character != numberMark) {
      name += character;
    } else {
      name += std::to_string(values.front());
      values = values.drop_front();
    }
  return name;
}

/// The numbers of the previous launches of a block, from which the next ones differ little.
struct Previous {
  llvm::DenseMap<Id, Values> ofForm;
  int64_t place = 0;

  Values &of(Id form, size_t count) {
    Values &values = ofForm[form];
    values.resize(count);
    return values;
  }
};

class Packer {
public:
  explicit Packer(std::string &bytes) : bytes_(bytes) {}

  /// Seven bits a byte, the lowest first; the highest bit says that more follow.
  void add(uint64_t number) {
    constexpr unsigned bits = 7;
    for (; number >> bits != 0; number >>= bits)
      bytes_ += static_cast<char>((number & 0x7F) | 0x80);
    bytes_ += static_cast<char>(number);
  }
  /// Small numbers of both signs take few bits.
  void addSigned(int64_t number) {
    add((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number < 0 ? -1 : 0));
  }

private:
  std::string &bytes_;
};

class Unpacker {
public:
  explicit Unpacker(llvm::StringRef bytes) : bytes_(bytes) {}

  uint64_t next() {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_ = bytes_.drop_front();
      number |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80)
        return number;
    }
  }
  int64_t nextSigned() {
    uint64_t number = next();
    return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
  }
  LaunchText nextLaunch(Previous &previous, const TextPool &forms) {
    auto form = static_cast<Id>(next());
    auto count =
        static_cast<size_t>(forms[form].startswith(llvm::StringRef(&wholeMark, 1)) ? 0 : forms[form].count(numberMark));
    Values &values = previous.of(form, count);
    for (int64_t &value : values)
      value += nextSigned();
    previous.place += nextSigned();
    return {nameOf(forms[form], values), static_cast<Id>(previous.place)};
  }

private:
  llvm::StringRef bytes_;
};

} // namespace

PackedText::PackedText(const ProgramText &text, TextPool &forms)
    : groups_(text.groups), numLaunches_(static_cast<Id>(text.launches.size())) {
  Packer packer(bytes_);
  Previous previous;
  for (Id i = 0; i != numLaunches_; ++i) {
    if (i % launchesOfBlock == 0) {
      blocks_.push_back(static_cast<uint32_t>(bytes_.size()));
      previous = Previous();
    }
    Values values;
    Id form = forms.add(formOf(text.launches[i].name, values));
    packer.add(form);
    Values &before = previous.of(form, values.size());
    for (size_t k = 0; k != values.size(); ++k)
      packer.addSigned(values[k] - before[k]);
    before = values;
    packer.addSigned(static_cast<int64_t>(text.launches[i].place) - previous.place);
    previous.place = text.launches[i].place;
  }
  bytes_.shrink_to_fit();
  blocks_.shrink_to_fit();
}

LaunchText PackedText::launch(Id index, const TextPool &forms) const {
  Unpacker unpacker(llvm::StringRef(bytes_).drop_front(blocks_[index / launchesOfBlock]));
  Previous previous;
  for (Id i = index % launchesOfBlock; i != 0; --i)
    unpacker.nextLaunch(previous, forms);
  return unpacker.nextLaunch(previous, forms);
}

ProgramText PackedText::unpack(const TextPool &forms) const {
  ProgramText text;
  text.groups = groups_;
  Unpacker unpacker(bytes_);
  Previous previous;
  for (Id i = 0; i != numLaunches_; ++i) {
    if (i % launchesOfBlock == 0)
      previous = Previous();
    text.launches.push_back(unpacker.nextLaunch(previous, forms));
  }
  return text;
}

} // namespace ccgraph::jobs
