"""The programs of TileLang that are compared: of each the capture, and what its arguments need beside random numbers.

A row is a name, the beginning of the capture's file name, the sizes of dynamic extents, and the values of integers:
`below(n)`: random and less than n; `ramp(a, b)`: from a to b in equal steps; `is_all(n)`; `numbers`: 0, 1, 2 …; `shuffled`;
`each(...)`: as written; `metadata`: of 2:4 sparse operands, in order; `sparse`: at most two of four neighbours are not 0, or one of
two where elements have 32 bits. Integers without a row are random bits, those of masks random bits, too. `configs` are pass
configurations of TileLang beside the program's own, where its result is undefined without them. `slices` are numbers of equal parts along the
first dimension of arguments, where TileLang's grid is larger than a launch can be: it is launched for each part then. `calls` is how
often TileLang's code is called before results are compared, where a call finds what an earlier one left.
"""


def row(name, capture, sizes=None, configs=None, slices=None, calls=1, **values):
    return {"name": name, "capture": capture, "sizes": sizes or {}, "configs": configs or {}, "slices": slices or {}, "calls": calls,
            "values": values}


def below(limit):
    return ["below", limit]


def ramp(first, last):
    return ["ramp", first, last]


def is_all(value):
    return ["all", value]


def each(*values):
    return ["each", *values]


numbers, shuffled, pairs, metadata, sparse = ["numbers"], ["shuffled"], ["pairs"], ["metadata"], ["sparse"]

PROGRAMS = [
    row("convolution", "871761"),
    row("convolution, tuned", "6ddd8b"),
    row("convolution 512", "113e5e", slices={"data": 8, "out": 8}),
    row("GQA forward", "d26608"),
    row("MHA forward with statistics", "a090a5"),
    row("MHA forward with sinks", "5887d7"),
    row("MHA decoding", "7f265f"),
    row("GQA decoding", "e72124"),
    row("MLA decoding", "d179b7"),
    row("MLA decoding, split", "ee2741"),
    row("MLA decoding, paged", "8d485f", block_table=shuffled, cache_seqlens=is_all(8192)),
    row("MLA decoding, paged, split", "22504e", block_table=shuffled, cache_seqlens=is_all(8192)),
    # In TileLang's code some blocks do not wait at the barrier of the grid: the second call reads the partial results of the first.
    row("MLA decoding, persistent", "681420", calls=2),
    row("MLA decoding in partitions", "93b6f5"),
    row("MLA decoding in partitions, split", "9a30fc"),
    row("MLA decoding, FlashMLA", "1aeb73"),
    row("MLA decoding of fp8", "56a558"),
    row("sparse MLA forward", "7a2bd6", {"batch": 1, "seq_len": 4096, "seq_len_kv": 4096}, Indices=below(4096)),
    row("sparse MLA forward, pipelined", "fa1d0d", {"batch": 1, "seq_len": 4096, "seq_len_kv": 8192},
        Indices=below(4096), q_start_index_s=is_all(4096)),
    row("sparse MLA backward", "243f95", Indices=below(4096)),
    row("sparse MLA backward, before", "b23b1d"),
    row("sparse MLA backward, behind", "d3842d"),
    row("fp8 indexer", "5dc998", {"seq_len": 2048, "seq_len_kv": 4096}, CuSeqLenKS=is_all(0), CuSeqLenKE=ramp(2049, 4096)),
    row("fp8 indexer by blocks", "cbab38", TopKBlockIndex=below(32), CuSeqLenKS=is_all(0), CuSeqLenKE=ramp(1, 4096)),
    row("mean pooling of fp8 blocks", "bcadd5"),
    row("clean logits", "b6b04c", {"seq_len": 2048, "seq_len_kv": 4096}, CuSeqLenKS=is_all(0), CuSeqLenKE=ramp(2049, 4096)),
    row("top-k selector", "933640", {"batch": 64, "seq_len": 32768}, starts=is_all(0), ends=is_all(32768)),
    row("activations to fp8", "0aba28", {"M": 8192}),
    row("fp8 index", "61dc0f", {"b": 1, "m": 256, "n": 4096}, {"tl.disable_warp_specialized": True}),
    row("fp8 GEMM with scales", "6fc083", {"M": 8192}),
    row("indexer backward", "21e58b", {"seq_len": 4096, "batch_plus_one": 2}, TopkIndices=below(4096), Offsets=each(0, 4096),
        TokenIndices=pairs),
    row("indexer top-k", "7588e7", {"seq_len": 4096, "batch_plus_one": 2}, Offsets=each(0, 4096), TokenIndices=pairs),
    row("NSA forward", "40a948", BlockIndices=is_all(0)),
    row("block-sparse GEMM", "2073f7"),
    row("block-sparse attention", "7e4f13"),
    row("block-sparse attention (SeerAttention)", "3b90b9"),
    row("cast to fp8", "c36c57"),
    row("cast of groups to fp8", "9616a5", batch_sizes=each(128, 896)),
    row("mHC before", "8b2174", {"num_tokens": 4096}),
    row("mHC GEMM", "b2c10b", {"num_tokens": 4096}),
    row("GEMM of fp4 weights, bf16", "23c96d"),
    row("GEMM of fp4 weights, f16", "db36ed"),
    row("GEMM of mxfp4 weights", "41ed11"),
    row("GEMM of int4 weights, small", "b4353d"),
    row("GEMM of int4 weights, i8", "672637"),
    row("GEMV of int4 weights", "c1ea4d"),
    row("GEMM of int4", "41bcff"),
    row("sum of matrices", "928c23"),
    row("GDN chunk o", "864793"),
    row("GDN w and u", "40ca3d"),
    row("GDN K·Kᵀ", "b174b2"),
    row("GDN cumulative sum", "271e83"),
    row("GDN backward of w and u", "447b1d"),
    row("GDN backward of o", "a21a05"),
    row("KDA gradients dv", "1b8d06"),
    row("KDA gradients dA", "fcedef"),
    row("KDA in chunks", "2a69cc"),
    row("retention", "08008f"),
    row("linear attention backward", "11c263"),
    row("layer norm", "01a644"),
    row("layer norm backward", "01eb33"),
    row("random numbers", "78fcef"),
    row("RMS norm", "bde635"),
    row("softmax", "aae217"),
    row("top-k", "54403c"),
    row("GEMM", "d89df8"),
    row("GEMM, tuned", "13facc"),
    row("GEMM, persistent", "96b508"),
    row("GEMM 8192", "cea8c4"),
    row("sparse GEMM", "6f7dd9", E=metadata),
    row("compression to 2:4, f16", "02775e", {"S": 8192}, dense=sparse),
    row("compression to 2:4, f32", "530614", {"S": 8192}, dense=sparse),
    row("fp8 GEMM", "cf891a"),
    row("fp8 GEMM in two accumulators", "527626"),
    row("fp8 GEMM, large", "459df5"),
    row("split-K", "8b0d2b"),
    row("split-K with vectors of atomics", "bb3f9b"),
    row("GEMM in partitions of warps", "86713d"),
    row("GEMV", "471ab3"),
    row("GEMV with a reducer", "8e948f"),
    row("attention backward, reduced by TMA", "86d62a"),
]
