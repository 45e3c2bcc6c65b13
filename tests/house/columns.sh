#!/usr/bin/env bash
# Checks that no line of code is longer than 120 columns. Recorded data, expected outputs, generated texts and seeded
# bugs are exempt, because their lines are those of other programs; so are such texts in the sources of tests.
set -euo pipefail
export LC_ALL=C.UTF-8

exempt='^(tests/(data|golden|cli|diagnostics|fuzz/seeds)/|docs/(man|completion)/|LICENSE)'
exempt+='|[.](json|svg|png|gz|md|tsv|inc|golden)$|^tests/evidence/.*[.]txt$|^tests/unit/.*[.](log|txt)$'
files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z
  else
    find . -type f ! -path './build/*' -printf '%P\0'
  fi
}
found=$(files | grep -zvE "$exempt" | xargs -0 grep -InE '^.{121,}' |
  grep -vE '^tests/[^:]*[.]cpp:[0-9]+:.*("| = (torch[.]ops|aten)[.])' || true)
[ -z "$found" ] || {
  printf 'error: lines of more than 120 columns:\n%s\n' "$(cut -c1-160 <<< "$found")"
  echo 'note: break them; clang-format does so in C++'
  exit 1
}
