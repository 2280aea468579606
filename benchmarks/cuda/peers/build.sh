#!/bin/sh
# build.sh TILE_TRANSLATE LIBTILERUNTIME.a FOLDER: makes what bench.py runs on a
# machine with an NVIDIA GPU, where no compiler is needed.
set -eu
translate=$1 runtime=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -shared -fPIC -I"$here/../../../runtime/include" "$here/shim.c" \
  -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive -lm -lpthread -ldl -o "$out/libtile-bench.so"
cp "$here/bench.py" "$here/triton_peers.py" "$out/"

kernel() { # folder, then the arguments of kernels.py
  mkdir -p "$out/$1"
  python3 "$here/kernels.py" "$2" "$3" "$4" "$5" > "$out/$1/kernel.mlir"
  "$translate" --tile-to-cubin --chip=sm_90a "$out/$1/kernel.mlir" -o "$out/$1/image.cubin"
  "$translate" --tile-to-gpu-metadata --chip=sm_90a "$out/$1/kernel.mlir" -o "$out/$1/kernel-0.json"
}
for n in 4096 8192; do kernel "gemm_${n}_${n}_${n}" gemm $n $n $n; done
for keys in 128 176 192; do kernel "attention_16_8448_128_keys$keys" attention 16 8448 $keys; done
