#!/usr/bin/env bash
# Checks that a dependency is named only in the folder that owns it, so that it can be replaced there.
set -euo pipefail

status=0
quarantine() {
  local what=$1 pattern=$2 home=$3 strays
  strays=$(grep -rlE --include=*.h --include=*.cpp --include=*.inc --include=*.cu --include=*.cuh "$pattern" \
    ir frontend passes runtime tools tests | grep -vE "$home" || true)
  [ -z "$strays" ] && return
  printf 'error: %s is named outside %s:\n%s\n' "$what" "$home" "$strays"
  status=1
}
json_tests='tests/unit/(frontend|data_parallel|groups)/|tests/tools/group_cases/'
json_writers='tools/(report/lib/(json_output|report_data)|check_report/lib/(sarif|check_report))[.]cpp'
quarantine 'the JSON library' 'nlohmann' "^(frontend/|$json_tests|$json_writers)"
quarantine 'the fast JSON parser' 'simdjson(::|[.]h)' '^frontend/lib/json/json_parser[.]cpp'
quarantine 'the TOML library' '<toml[+][+]/' '^frontend/lib/contract/toml_value[.]cpp'
quarantine 'the linear algebra library' '<Eigen/' '^runtime/kernels/lib/kernels/(products[.]h|matmul[.]cpp)'
quarantine 'the compression library' '<zlib[.]h>' '^(frontend/lib|tests/unit/frontend)/'
quarantine 'the zip library' '<minizip/' '^frontend/lib/torch_export/archive[.]cpp'
quarantine 'CUDA' '<(cuda|cublas)[a-zA-Z_]*[.]h>' '^(runtime/gpu/nccl/module/|tests/tools/nccl_bench/by_hand[.]cpp)'
quarantine 'NCCL' '<nccl[.]h>' '^(runtime/gpu/nccl/module/|tests/tools/nccl_bench/by_hand[.]cpp)'
quarantine 'MPI' '<mpi[.]h>' '^(runtime/mpi/module/|tests/tools/mpi_bench/)'
quarantine 'PyTorch' '<(ATen|c10|torch)/' '^runtime/torch/module/'
internal=$(grep -rlE --include=*.h '"ccgraph/[a-z]+/internal/' */include */*/include tools/*/include |
  grep -v /internal/ | sort -u || true)
if [ -n "$internal" ]; then
  printf 'error: an installed header includes an internal one, which is not installed:\n%s\n' "$internal"
  status=1
fi
[ $status = 0 ] || echo 'note: hand a value of ir/ across instead'
exit $status
