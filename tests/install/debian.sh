#!/usr/bin/env bash
# Tests the Debian packages of a build without installing them: it unpacks them into one root and uses them there.
#
#   debian.sh CPACK CMAKE BUILD SOURCE WORK
#
# Exits with 77 if this machine has no dpkg-deb.
set -euo pipefail
cpack=$1 cmake=$2 build=$3 source=$4 work=$5
fail() {
  echo "error: $1" >&2
  exit 1
}
command -v dpkg-deb dpkg-shlibdeps >/dev/null || {
  echo 'no dpkg-deb and dpkg-shlibdeps here'
  exit 77
}

rm -rf "$work"
mkdir -p "$work"
# gzip, because xz takes most of the time.
"$cpack" --config "$build/CPackConfig.cmake" -B "$work/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/log" ||
  fail "$(cat "$work/log")"
root=$work/root
for package in "$work"/packages/*.deb; do
  dpkg-deb -x "$package" "$root"
  name=$(dpkg-deb -f "$package" Package)
  for file in copyright changelog.Debian.gz; do
    [ -s "$root/usr/share/doc/$name/$file" ] || fail "$name has no $file"
  done
  dpkg-deb -f "$package" >"$work/$name.control"
done
control=$(dpkg-deb --ctrl-tarfile "$work"/packages/libccgraph-c1_*.deb | tar -t)
grep -q triggers <<<"$control" || fail "libccgraph-c1 has no trigger of ldconfig: $control"
for package in "$work"/packages/*.deb; do
  scripts=$(dpkg-deb --ctrl-tarfile "$package" | tar -t | grep -E 'post|pre' || true)
  [ -z "$scripts" ] || fail "$package has scripts: $scripts"
done
field() { sed -n "s/^$2: //p" "$work/$1.control"; }

# Each part is in its package, with what it depends on.
grep -q 'libc6 (>= ' <<<"$(field ccgraph Depends)" || fail "ccgraph depends on: $(field ccgraph Depends)"
grep -q 'python3' <<<"$(field ccgraph Depends)" || fail "ccgraph depends on: $(field ccgraph Depends)"
grep -q 'libccgraph-c1 (= ' <<<"$(field libccgraph-dev Depends)" || fail 'libccgraph-dev does not need its library'
[ -n "$(field libccgraph-c1 Version)" ] || fail 'there is no package libccgraph-c1'
if [ -e "$work/ccgraph-mpi.control" ]; then
  grep -q 'openmpi-bin' <<<"$(field ccgraph-mpi Depends)" || fail "ccgraph-mpi depends on: $(field ccgraph-mpi Depends)"
  "$root/usr/bin/ccgraph" doctor mpi >/dev/null || fail 'the tools do not find the module of ccgraph-mpi'
fi

# The tools run, by all names.
graph=$source/tests/data/small/wait_far_w2/readable.py
# grep -q ends at the first match, so a pipe into it could break while it is written to.
summary=$("$root/usr/bin/ccgraph" "$graph" 2>&1)
grep -q 'verifier ok' <<<"$summary" || fail "ccgraph does not read a graph: $summary"
for tool in opt run gen check; do
  [ "$("$root/usr/bin/ccgraph-$tool" --version)" = "$("$root/usr/bin/ccgraph" "$tool" --version)" ] ||
    fail "ccgraph-$tool is another tool"
  zgrep -q "^.TH CCGRAPH" "$root/usr/share/man/man1/ccgraph-$tool.1.gz" || fail "ccgraph-$tool has no manual page"
done

# A C program finds header and library, and CMake finds the package.
cat >"$work/version.c" <<'END'
#include <ccgraph.h>
#include <stdio.h>
int main(void) { return puts(ccgraph_version()) < 0; }
END
cc "$work/version.c" -I"$root/usr/include" -L"$root/usr/lib" -lccgraph_c -o "$work/version"
[ "$(LD_LIBRARY_PATH=$root/usr/lib "$work/version")" = "$(field libccgraph-c1 Version | sed 's/-.*//')" ] ||
  fail 'the C library has another version than its package'
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user CXX)
find_package(ccgraph REQUIRED)
get_target_property(type ccgraph::toolkit TYPE)
message(STATUS "toolkit: ${type}, ${ccgraph_DIR}")
END
found=$("$cmake" -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$root/usr" 2>&1) || fail "$found"
grep -q "toolkit: .*_LIBRARY, $root/usr" <<<"$found" || fail "$found"
echo ok
