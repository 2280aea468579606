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
  folder=$1
  shift
  mkdir -p "$out/$folder"
  python3 "$here/kernels.py" "$@" > "$out/$folder/kernel.mlir"
  "$translate" --tile-to-cubin --chip=sm_90a "$out/$folder/kernel.mlir" -o "$out/$folder/image.cubin"
  "$translate" --tile-to-gpu-metadata --chip=sm_90a "$out/$folder/kernel.mlir" -o "$out/$folder/kernel-0.json"
}
for n in 4096 8192; do
  kernel "gemm_${n}_${n}_${n}" gemm $n $n $n
  kernel "gemm_${n}_${n}_${n}_dynamic" gemm $n $n $n dynamic
done
# The same kernel with rows of a multiple of 4 bytes, and of 2.
for k in 4098 4097; do kernel "gemm_4096_4096_${k}_dynamic" gemm 4096 4096 $k dynamic; done
for keys in 128 176 192; do kernel "attention_16_8448_128_keys$keys" attention 16 8448 $keys; done
kernel attention_16_8448_128_keys128_dynamic attention 16 8448 128 dynamic
kernel attention_16_8448_128_keys128_unmasked attention 16 8448 128 whole
for size in "softmax 8192 8192" "norm 32768 4096"; do
  set -- $size
  kernel "$1_$2_$3" "$@"
  kernel "$1_$2_$3_dynamic" "$@" dynamic
done
