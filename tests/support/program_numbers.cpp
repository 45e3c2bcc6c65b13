#include "support/program_numbers.h"

#include "llvm/ADT/StringRef.h"

namespace ccgraph::test {

std::optional<ProgramNumbers> readProgramNumbers(llvm::ArrayRef<char *> arguments) {
  ProgramNumbers numbers;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    llvm::StringRef flag = arguments[i], value = arguments[i + 1];
    uint32_t *number = flag == "--programs" ? &numbers.programs
                       : flag == "--first"  ? &numbers.first
                       : flag == "--print"  ? &numbers.print
                                            : nullptr;
    if (!number || value.getAsInteger(10, *number))
      return std::nullopt;
  }
  return arguments.size() % 2 == 0 ? std::optional(numbers) : std::nullopt;
}

} // namespace ccgraph::test
