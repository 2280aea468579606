#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What an NVIDIA GPU says about the cases that compare-devices.py has packed: run beside `cases`, `mutants` and `tile-replay`,
# whose output `compare-devices.py table` reads. Checkers run on the sources named here and on all mutants.
SANITIZER=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
OUT=$(mktemp -d)
export SANITIZER OUT
CHECKED="execution-simt-hopper attention-static examples-matmul_relu examples-matmul_splitk examples-matmul_dequant
  examples-topk_selector examples-softmax examples-flash_attention_causal execution-four-bit-weights execution-parts
  kernels-order random-0 rows-scans"

check() { # tool folder
  local out; out=$OUT/$1-$(basename "$2")
  { echo "== $1 $(basename "$2")"
    timeout -k 2 45 "$SANITIZER" --tool "$1" ./tile-replay --no-fork --guard=0 "$2" > "$out.log" 2>&1
    local code=$?
    grep -E "FAIL| us$" "$out.log"
    grep -E "SUMMARY|hazard|Invalid|========= (Error|Warning)" "$out.log" | head -6
    echo "exit $code"; } > "$out.txt" 2>&1
}
export -f check

"$SANITIZER" --version | tail -1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
for g in cases/*; do echo "== plain $(basename "$g")"; ./tile-replay "$g" --timeout=20 2>&1 | grep -v '^case '; done
{ for n in $CHECKED; do [ -d "cases/$n" ] && printf 'racecheck cases/%s\nmemcheck cases/%s\n' "$n" "$n"; done
  for m in mutants/*/*; do echo "racecheck $m"; done; } | xargs -P 6 -L 1 bash -c 'check "$0" "$1"'
cat "$OUT"/*.txt
for m in mutants/*/*; do echo "== repeat $(basename "$m")"; ./tile-replay "$m" --repeat=50 --timeout=8 2>&1 | grep -E "FAIL| us"; done
rm -r "$OUT"
