#!/bin/sh
# build.sh TILE_RUN TILE_REPLAY FOLDER: makes what tile-replay runs on 2 and 4 GPUs, where no compiler is needed, beside bench.py:
#   FOLDER/tile-replay FOLDER --filter=_2_ --time=30
set -eu
run=$1 replay=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
cp "$replay" "$out/tile-replay"
cp "$here/bench.py" "$out/"

program() { # folder, then a kind of program and its arguments
  name=$1
  shift
  python3 "$here/kernels.py" "$@" > "$out/$name.mlir"
  "$run" "$out/$name.mlir" --ranks="$2" --target=cuda --chip=sm_90a --no-notes $check --save="$out/$name" > /dev/null
  rm "$out/$name.mlir"
}
for n in ${RANKS:-2 4}; do
  for size in "8192 8192 8192" "1024 768 512"; do
    small=
    check=--check=none
    case $size in 1024*) small=_small check= ;; esac
    [ -n "$small" ] || program "gemm_$n" gemm $n $size
    program "ag_gemm_${n}_copy_engine$small" ag_gemm $n $size
    program "ag_gemm_${n}_blocks32$small" ag_gemm $n $size 32
    for own in own apart; do program "gemm_rs_${n}_$own$small" gemm_rs $n $size $own; done
  done
  check=--check=none
  # As many blocks as there are chunks, up to a chip.
  for size in "64 16" "256 64" "1024 128"; do
    kib=${size% *} blocks=${size#* }
    program "all_reduce_${n}_${kib}k" all_reduce $n $((kib * 1024)) $blocks
    program "all_reduce_${n}_${kib}k_two_shot" all_reduce $n $((kib * 1024)) $((blocks / n)) two_shot
    program "all_to_all_${n}_${kib}k" all_to_all $n $((kib * 1024)) $blocks
  done
  program "all_to_all_${n}_16384k" all_to_all $n $((16384 * 1024)) 128
done
