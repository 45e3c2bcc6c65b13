#!/usr/bin/env bash
# Checks that a library reports only through values: it does not print, end the program, or read the environment. Tools
# may do so.
set -euo pipefail

loud='llvm::(outs|errs|dbgs)\(|std::(cout|cerr|clog|exit|abort|terminate|getenv)\b'
loud+='|[^a-zA-Z_.:>](printf|puts|exit|abort|getenv)\('
found=$(grep -rnE --include=*.h --include=*.cpp "$loud" frontend/lib frontend/include frontend/tracer \
  passes/legality passes/jobs passes/equality passes/lib passes/include $(find ir runtime -name lib -o -name include) |
  grep -vE ':[0-9]+: *//' || true)
[ -z "$found" ] || {
  printf 'error: a library prints, exits or reads the environment:\n%s\n' "$found"
  echo 'note: return an llvm::Error, or hand the text to the caller'
  exit 1
}
