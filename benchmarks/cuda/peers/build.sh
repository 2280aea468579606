#!/bin/sh
# build.sh TILE_TRANSLATE LIBTILERUNTIME.a FOLDER: makes what bench.py, memory.py,
# quantised.py, decode.py, mla.py, sparse.py, backward.py, fp8.py, scan.py, topk.py, window.py, indexer.py, examples.py, odd.py and launches.py run on a machine with
# an NVIDIA GPU, where no compiler is needed.
set -eu
translate=$1 runtime=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
cc -std=c11 -O2 -Wall -Wextra -Wpedantic -shared -fPIC -I"$here/../../../runtime/include" "$here/shim.c" \
  -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive -lm -lpthread -ldl -o "$out/libtile-bench.so"
for program in bench memory quantised decode mla sparse backward fp8 scan topk window indexer examples odd launches harness triton_peers; do cp "$here/$program.py" "$out/"; done

kernel() { # folder, then a file, or the program that writes it and its arguments; kernels.py is the default
  folder=$out/$1
  shift
  mkdir -p "$folder"
  case $1 in *.py) python3 "$here/$@" ;; *.mlir) cat "$1" ;; *) python3 "$here/kernels.py" "$@" ;; esac > "$folder/kernel.mlir"
  "$translate" --tile-to-cubin --chip=sm_90a "$folder/kernel.mlir" -o "$folder/image.cubin"
  "$translate" --tile-to-gpu-metadata --chip=sm_90a "$folder/kernel.mlir" -o "$folder/kernel-0.json"
}
gemm() { # M N K, then the tile, then nn if B is not transposed
  size=$1_$2_$3
  case $* in *nn) size=${size}_nn ;; esac
  case ${4:-nn} in nn) tile= ;; *) tile=_$4x$5x$6 ;; esac
  case ${7:-} in 128) tile=${tile}_threads128 ;; esac
  kernel "gemm_$size$tile" gemm "$@"
}
attention() { # batch, heads, heads of K and V, length, D, keys and queries of a tile, causal
  kernel "attention_$1_$2_$3_$4_$5${8:+_causal}_keys$6_queries$7" attention "$@"
}
gemm 5120 5120 13824
for nn in "" nn; do
  for n in 4096 8192; do gemm $n $n $n $nn; done
  gemm 16384 8192 1024 $nn
  gemm 8192 8192 2048 $nn
  gemm 4096 7168 2048 $nn
  gemm 5120 5120 13824 128 224 64 256 $nn
  gemm 16384 8192 1024 128 192 64 128 $nn
  gemm 8192 8192 2048 128 192 64 128 $nn
  gemm 8192 8192 8192 128 192 64 128 $nn
  gemm 96 8192 8192 96 64 128 128 $nn
  gemm 128 16384 7168 128 128 64 256 $nn
  gemm 64 7168 16384 64 64 128 128 $nn
  gemm 1 7168 16384 8 64 128 128 $nn
  for m in 8 16 32; do gemm $m 7168 16384 $m 64 128 128 $nn; done
done
gemm 8192 8192 8192 128 192 64 256 nn
gemm 8192 8192 2048 128 192 64 256 nn
gemm 16384 8192 1024 128 192 64 256 nn
for keys in 128 176 192; do attention 1 16 16 8448 128 $keys 128; done
for keys in 128 176; do attention 4 32 32 4096 128 $keys 128; done
attention 1 32 32 8192 64 128 128
attention 1 16 16 4096 96 128 128
attention 1 16 16 5120 256 80 128
for n in 2048 8192; do attention 1 16 16 $n 128 128 128 causal; done
attention 1 16 16 8192 128 176 128 causal
for keys in 128 176; do attention 1 64 8 8192 128 $keys 128 causal; done
attention 4 32 32 3000 128 128 128 causal
for keys in 112 128; do attention 1 32 32 8192 64 $keys 192; done
attention 1 32 32 8192 64 128 128 causal
for keys in 112 128; do attention 1 32 32 8192 64 $keys 192 causal; done
memory() { # type, rows, columns, rows and threads of a block, elements of a part or "", kinds
  shape="$1 $2 $3 $4 $5 $6"
  name=$1_$2_$3_rows$4_threads$5${6:+_part$6}
  shift 6
  for kind in "$@"; do kernel "${kind}_$name" memory_kernels.py $kind $shape; done
}
norms="softmax rms_norm layer_norm"
for type in bf16 f32; do
  case $type in bf16) rows=2 threads=256 ;; f32) rows=1 threads=512 ;; esac # 16 and 8 elements in a thread
  memory $type 262144 1024 $rows 128 "" $norms
  memory $type 65536 4096 1 $threads "" $norms
  memory $type 262144 1024 4 128 "" row_sum gelu cumsum act_quant
  memory $type 65536 4096 1 128 "" row_sum gelu cumsum act_quant
  memory $type 16384 16384 1 512 "" $norms row_sum
  memory $type 16384 16384 1 128 4096 gelu cumsum act_quant
  memory $type 4096 65536 1 128 4096 cumsum
  case $type in bf16) rows=128 ;; f32) rows=64 ;; esac
  memory $type 16384 16384 $rows 512 "" transpose
done
memory f32 4096 32768 1 512 "" $norms
memory f32 2048 65536 1 1024 "" $norms
for kind in $norms; do # columns, rows
  for size in "16384 16384" "32768 8192" "65536 4096"; do
    set -- $size
    kernel "${kind}_bf16_$2_$1_shared" long_rows.py $kind $2 $1 512
  done
done

quantised() { # type, M, rows of a tile, columns, threads, split, stages, family, space, groups, iterations that become one
  kernel "$1_$2_7168_16384_rows$3_columns$4_threads$5_split$6_stages$7${9:+_$9}${10:+_${10}}${11:+_unroll${11}}" \
    quantised_kernels.py $1 $2 7168 16384 $3 $4 $5 $6 $7 ${8:-} ${9:-} ${10:-} ${11:-}
}
for type in i4 f4E2M1FN; do
  quantised $type 1 64 8 128 8 4
  quantised $type 16 64 16 128 8 6
  quantised $type 1 224 8 224 4 4 mma fragment 2
  quantised $type 1 112 8 224 2 6 mma fragment 2
  quantised $type 16 64 16 128 8 3 mma fragment 2
  quantised $type 16 224 16 224 4 4 mma fragment 2
  quantised $type 1 112 8 224 2 4 mma fragment 4
  quantised $type 16 112 16 224 2 4 mma fragment 4
  quantised $type 64 256 64 512 4 4 any scaled
  quantised $type 4096 128 256 256 1 3 any scaled
  quantised $type 1 112 8 224 2 4 mma packed 4t
  quantised $type 16 112 16 224 2 4 mma packed 4t
  quantised $type 64 256 64 512 4 6 any packed
  quantised $type 64 256 64 512 4 4 any tiles 1 4
done
quantised_rows() { # type, M, rows of a tile, threads, split, groups, stages
  kernel "$1_$2_7168_16384_rows$3_threads$4_split$5_groups$6_stages$7_repeated" \
    quantised_rows.py $1 $2 7168 16384 $3 $4 $5 $6 $7
}
quantised_rows i4 1 64 64 8 2 2
quantised i4 1 112 8 224 2 4 mma scaled 4
quantised i4 16 112 16 224 2 4 mma scaled 4
for type in i4 f4E2M1FN; do quantised $type 64 256 64 512 4 6 any scaled; done
quantised f4E2M1FN 16 112 16 224 2 4 mma scaled 4
decode() { # batch, heads of K and V, heads of Q for each, S, D, keys of a tile, split, stages
  kernel "decode_$1_$2_$3_$4_$5_keys$6_split$7_stages$8" decode_kernels.py "$@"
}
decode 16 8 8 8192 128 128 1 3
decode 16 8 8 8192 128 64 8 2
for length in 4096 8192 32768; do kernel "mla_128_128_$length" mla_kernels.py 128 128 $length; done
for keys in 8192 32768; do kernel "sparse_1024_128_${keys}_2048" sparse_kernels.py 1024 128 $keys 2048; done
backward() { # heads, length, D, stages, causal
  kernel "backward_1_$1_$2_$3${5:+_causal}" backward_kernels.py 1 $1 $2 $3 64 128 256 $4 ${5:-}
}
for length in 2048 8192; do
  for mask in "" causal; do
    backward 16 $length 128 2 $mask
    backward 32 $length 64 3 $mask
  done
done
fp8() { # M, rows and columns of a tile, threads, stages, split, gemms, cluster, iterations that become one
  kernel "fp8_$1_7168_16384_$2x$3_threads$4_split$6_gemms$7${8:+_cluster$8}${9:+_unroll$9}" fp8_kernels.py $1 7168 16384 $2 $3 $4 $5 $6 $7 ${8:-} ${9:-}
}
fp8 4096 128 128 256 3 1 2
fp8 4096 128 128 256 3 1 2 2
fp8 4096 128 128 256 3 1 2 1 16
fp8 128 128 128 256 3 2 2
fp8 64 64 128 128 3 2 2
fp8 64 64 64 128 5 1 2
kernel scan_8_80_4096_64_32_128_2 scan_kernels.py 8 80 4096 64 32 128 2
window() { # heads, those of K and V, S, D, window, queries and keys of a tile
  kernel "window_$1_$2_$3_$4_$5_keys$7" window_kernels.py window "$@"
}
window 16 16 8192 128 1024 128 128
window 64 8 8192 128 128 128 128
window 64 8 8192 128 4096 128 128
window 64 8 8192 64 128 128 128
for mask in "" causal; do
  kernel "packed_16_16_8_4096_128${mask:+_causal}" window_kernels.py packed 16 16 8 4096 128 128 128 $mask
  kernel "packed_32_8_16_4096_128${mask:+_causal}" window_kernels.py packed 32 8 16 4096 128 128 128 $mask
done
for tile in "2 256 2" "4 128 3"; do
  set -- $tile
  kernel "indexer_4096_16384_64_queries$1_keys$2_stages$3" indexer_kernels.py 4096 16384 64 $1 $2 $3
done
topk() { # type, rows, columns, K, elements of a part, threads, stages
  kernel "topk_$1_$2_$3_$4_part$5_threads$6" topk_kernels.py "$@"
}
for type in f32 bf16; do
  topk $type 64 32768 64 32768 1024 1
  topk $type 1024 8192 32 8192 256 1
done
topk f32 64 32768 64 4096 512 3
for k in 512 2048; do topk f32 64 32768 $k 32768 1024 1; done
topk bf16 64 32768 2048 32768 1024 1
topk f32 1024 32768 2048 32768 1024 1

# The same kernel for sizes that the compiler knows and for any; then with rows of a multiple of 4 bytes, and of 2.
for n in 4096 8192; do kernel "gemm_${n}_${n}_${n}_dynamic" dynamic.py gemm $n $n $n dynamic; done
for k in 4098 4097; do kernel "gemm_4096_4096_${k}_dynamic" dynamic.py gemm 4096 4096 $k dynamic; done
kernel attention_1_16_16_8448_128_keys128_static dynamic.py attention 16 8448 128
kernel attention_1_16_16_8448_128_keys128_dynamic dynamic.py attention 16 8448 128 dynamic
kernel attention_1_16_16_8448_128_keys128_unmasked dynamic.py attention 16 8448 128 whole
for size in "softmax 8192 8192" "norm 32768 4096"; do
  set -- $size
  kernel "$1_$2_$3" dynamic.py "$@"
  kernel "$1_$2_$3_dynamic" dynamic.py "$@" dynamic
done
kernel softmax_8192_8191_dynamic dynamic.py softmax 8192 8191 dynamic
kernel norm_32768_4095_dynamic dynamic.py norm 32768 4095 dynamic
kernel attention_1_16_16_8400_128_keys128_dynamic dynamic.py attention 16 8400 128 dynamic
for kind in softmax rms_norm layer_norm; do
  for n in 4096 4095; do kernel "${kind}_bf16_65536_${n}_dynamic" memory_kernels.py $kind bf16 65536 4096 1 128 dynamic; done
done
quantised i4 1 64 8 128 8 4 mma fragment dynamic
quantised i4 16 64 16 128 8 6 mma fragment dynamic
quantised i4 64 128 64 128 4 3 mma fragment dynamic
kernel gemm_128_256_64_static dynamic.py gemm 128 256 64
kernel gemm_128_256_64_dynamic dynamic.py gemm 128 256 64 dynamic

for file in "$here"/../../../examples/*.mlir; do kernel "example_$(basename "$file" .mlir)" "$file"; done
