#!/usr/bin/env bash
# Checks that no range-based loop runs over memory that a temporary owns: "for (x : *call(...).member)" destroys what
# the call returned before the first pass of the loop. front() and back() return references.
set -euo pipefail

dangling=$(grep -rnE --include=*.h --include=*.cpp ' : \*[^;]*\)\.[a-z][a-zA-Z0-9_]*\)( \{)?$' \
  ir passes runtime frontend tools tests | grep -vE '\.(front|back)\(\)\.[a-z][a-zA-Z0-9_]*\)( \{)?$' || true)
[ -z "$dangling" ] || {
  printf 'error: a loop runs over memory of a value that ends before its first pass:\n%s\n' "$dangling"
  echo 'note: give the value a name before the loop'
  exit 1
}
