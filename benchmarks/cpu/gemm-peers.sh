#!/bin/sh
# gemm-peers.sh FOLDER THREADS [ROUNDS]: the f32 matrix product of tile, OpenBLAS and oneDNN, each in a process of its own, in
# turns; prints the rates of all rounds in GFLOP/s. FOLDER holds gemm-tile, gemm-openblas and gemm-onednn.
set -eu
folder=$1 threads=$2 rounds=${3:-5}
export TILE_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads
for size in "1024 1024 1024" "3000 500 2000"; do
  for peer in tile openblas onednn; do : > "$folder/$peer.rates"; done
  round=0
  while [ $round -lt "$rounds" ]; do
    for peer in tile openblas onednn; do "$folder/gemm-$peer" $size >> "$folder/$peer.rates"; done
    round=$((round + 1))
  done
  for peer in tile openblas onednn; do
    echo "$size, $threads threads, $peer: $(sort -n "$folder/$peer.rates" | tr '\n' ' ')"
  done
done
