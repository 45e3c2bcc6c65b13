#!/usr/bin/env bash
# Checks that the top level has exactly these entries; files that are not under version control do not count.
set -euo pipefail

expected='.ci .clang-format .clang-tidy .editorconfig .gitignore CHANGELOG.md CMakeLists.txt
CMakePresets.json CONTRIBUTING.md LICENSE README.md docs frontend ir passes runtime tests tools'

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  found=$(git ls-files | cut -d/ -f1 | LC_ALL=C sort -u)
else
  found=$(find . -mindepth 1 -maxdepth 1 ! -name build -printf '%P\n' | LC_ALL=C sort)
fi
diff <(tr ' ' '\n' <<<"$expected" | LC_ALL=C sort) - <<<"$found" || {
  echo 'error: the top level is not what it should be (< missing, > unexpected)'
  echo 'note: move a new file into the folder that it belongs to'
  exit 1
}
