"""What NCCL, cuBLAS and PyTorch take, one process for each GPU: `python3 bench.py RANKS [products|collectives]`. Prints a line for each
figure: name, bytes or size, median microseconds of the slowest rank, and the least. NVLink multicast stays off.

tile's own figures come from tile-replay on what build.sh has made, on the same machine:
    tile-replay FOLDER/ag_gemm_2 --devices=0,1 --time=30
"""
import os, statistics, sys

os.environ.update(NCCL_NVLS_ENABLE="0", TORCH_SYMM_MEM_DISABLE_MULTICAST="1", NVSHMEM_DISABLE_NVLS="1")
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.distributed._symmetric_memory as symmetric

SIZE = 8192
KIB = [64, 256, 1024, 16384]


def measure(name, size, call, launches=1, samples=30):
    """Medians of samples; the slowest rank counts, all of which begin together."""
    for _ in range(3):
        call()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(samples):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begin.record()
        for _ in range(launches):
            call()
        end.record()
        end.synchronize()
        slowest = torch.tensor([begin.elapsed_time(end) * 1e3 / launches], device="cuda")
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        times.append(slowest.item())
    if dist.get_rank() == 0:
        print(f"{name:44} {size:>10} {statistics.median(times):10.1f} us {min(times):10.1f} us", flush=True)


def attempt(name, size, call, **options):
    try:
        measure(name, size, call, **options)
    except Exception as error:
        if dist.get_rank() == 0:
            print(f"{name:44} {size:>10} error: {str(error)[:200]}", flush=True)


def record(call, launches):
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            call()
    return graph.replay


def products(ranks):
    group = dist.group.WORLD.group_name
    part = SIZE // ranks
    random = lambda *shape: (torch.rand(*shape, device="cuda") * 2 - 1).bfloat16()
    a, whole, b = random(part, SIZE), random(SIZE, SIZE), random(SIZE, SIZE)
    rows, out, summed = torch.empty_like(whole), torch.empty_like(whole), torch.empty(part, SIZE, device="cuda", dtype=torch.bfloat16)

    def gather():
        dist.all_gather_into_tensor(rows, a)

    def gather_product():
        gather()
        torch.matmul(rows, b.t(), out=out)

    def product_scatter():
        torch.matmul(whole, b.t(), out=out)
        dist.reduce_scatter_tensor(summed, out)

    measure("cuBLAS", SIZE, lambda: torch.matmul(whole, b.t(), out=out))
    measure("NCCL all_gather", SIZE, gather)
    measure("NCCL reduce_scatter", SIZE, lambda: dist.reduce_scatter_tensor(summed, out))
    measure("NCCL all_gather, cuBLAS", SIZE, gather_product)
    measure("cuBLAS, NCCL reduce_scatter", SIZE, product_scatter)
    attempt("torch fused_all_gather_matmul", SIZE, lambda: torch.ops.symm_mem.fused_all_gather_matmul(a, [b.t()], 0, group))
    attempt("torch fused_matmul_reduce_scatter", SIZE, lambda: torch.ops.symm_mem.fused_matmul_reduce_scatter(whole, b.t(), "sum", 0, group))
    measure("cuBLAS", SIZE, lambda: torch.matmul(whole, b.t(), out=out))


def collectives(ranks):
    for kib in KIB:
        x = torch.rand(kib * 512, device="cuda").bfloat16()
        y, part = torch.empty_like(x), torch.rand(len(x) // ranks, device="cuda").bfloat16()
        calls = {
            "all_reduce": lambda: dist.all_reduce(x),
            "all_to_all": lambda: dist.all_to_all_single(y, x),
            "all_gather": lambda: dist.all_gather_into_tensor(y, part),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, x),
        }
        for name, call in calls.items():
            measure(f"NCCL {name}, calls", kib << 10, call, launches=20)
            measure(f"NCCL {name}, a graph of 20", kib << 10, record(call, 20), launches=1)


def run(rank, ranks, what):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29513", RANK=str(rank), WORLD_SIZE=str(ranks))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    symmetric.enable_symm_mem_for_group(dist.group.WORLD.group_name)
    if rank == 0:
        print(f"{ranks} x {torch.cuda.get_device_name()}, torch {torch.__version__}, NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}")
    {"products": products, "collectives": collectives}[what](ranks)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    for what in sys.argv[2:] or ["products", "collectives"]:
        mp.spawn(run, args=(ranks, what), nprocs=ranks)
