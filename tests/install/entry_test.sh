#!/usr/bin/env bash
# Tests the program `ccgraph` as a process: the names by which it is started, the pages of `report`, and processes that
# --engine mpi starts.
#
#   entry_test.sh CCGRAPH GRAPH
set -euo pipefail
ccgraph=$(realpath "$1") graph=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "error: $1" >&2
  exit 1
}

for tool in opt run gen check; do
  ln -s "$ccgraph" "ccgraph-$tool"
  [ "$("./ccgraph-$tool" --version)" = "$("$ccgraph" "$tool" --version)" ] || fail "ccgraph-$tool is not ccgraph $tool"
done
ln -s "$ccgraph" ccgraph-unknown
[ "$(./ccgraph-unknown --version)" = "$("$ccgraph" --version)" ] || fail 'an unknown name is not ccgraph itself'

"$ccgraph" report "$graph" >/dev/null 2>&1
[ -s report.html ] || fail 'report without -o wrote no report.html'
mv report.html first.html
for arguments in '-o page.html' '-o=page.html' '--report page.html'; do
  # shellcheck disable=SC2086
  "$ccgraph" report "$graph" $arguments >/dev/null 2>&1
  [ -s page.html ] || fail "report $arguments wrote no page"
  [ ! -e report.html ] || fail "report $arguments also wrote report.html"
  rm page.html
done

if ! "$ccgraph" doctor mpi mpirun >/dev/null; then
  echo 'note: no MPI here, so --engine mpi was not started'
  exit 0
fi
"$ccgraph" run "$graph" --engine mpi --ranks 2 >mpi.txt
"$ccgraph" run "$graph" --engine local --ranks 2 >local.txt
diff <(grep checksum local.txt) <(grep checksum mpi.txt) || fail '--engine mpi computed other values'
echo ok
