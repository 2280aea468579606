# Worlds of one process, with as much of PyTorch as they need and a driver that pretends to have a GPU, whose memory is the host's.
import ctypes
import sys
import types

broken = False


class Dtype:
    def __init__(self, itemsize):
        self.itemsize = itemsize


class Bytes(bytes):
    to = cpu = lambda self, *_: self
    tolist = lambda self: list(self)


class Alias:
    def __init__(self, memory):
        self.address, self.bytes = memory.__cuda_array_interface__["data"][0], memory.__cuda_array_interface__["shape"][0]

    def view(self, how):
        self.how = how
        return self


def all_gather(pieces, piece, group):
    if broken:
        raise RuntimeError("somebody left")
    pieces[:] = [piece]


class Device:
    def __init__(self, _, index):
        self.index = index


torch = types.ModuleType("torch")
torch.distributed = types.ModuleType("torch.distributed")
torch.float32, torch.int64, torch.uint8, torch.device = Dtype(4), Dtype(8), Dtype(1), Device
torch.cuda = types.SimpleNamespace(current_device=lambda: 0, synchronize=lambda device: None)
torch.frombuffer = lambda buffer, dtype: Bytes(buffer)
torch.empty_like = lambda piece: None
torch.cat = lambda pieces: Bytes(b"".join(pieces))
torch.as_tensor = lambda memory, device: Alias(memory)
torch.empty = lambda shape, dtype, device: "empty"
torch.distributed.is_initialized = lambda: isInitialised
torch.distributed.get_backend = lambda group: "nccl"
torch.distributed.get_rank, torch.distributed.get_world_size = lambda group: 0, lambda group: 1
torch.distributed.all_gather = all_gather
sys.modules.update({"torch": torch, "torch.distributed": torch.distributed})

import tile.distributed


def fails(call, text):
    try:
        call()
    except tile.Error as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"expected an error: {text}")


isInitialised = False
fails(lambda: tile.distributed.World(4096), "expected torch.distributed.init_process_group to be called")
isInitialised = True
with tile.distributed.World(4096) as world:
    words = ctypes.cast(world.table.address, ctypes.POINTER(ctypes.c_int64))
    assert (words[0], words[1], words[2]) == (world.rank, world.size, world.table.address) == (0, 1, world.table.address)
    x, y = world.empty(3, 5), world.empty((7,), dtype=torch.int64)
    assert (x.bytes, x.how, y.bytes, y.how) == (60, (3, 5), 56, (7,))
    assert x.address % 256 == y.address % 256 == 0 and y.address - x.address == 256
    assert ctypes.string_at(x.address, 60) == bytes(60)
    assert world.empty(0) == "empty"
    fails(lambda: world.empty(4096), "which are left of the heap of a rank, got 16384")
    world.set_timeout(0.5)
    world.check()
    report = world.table.bytes // 8 - 8
    words[report + 1], words[report + 2], words[report + 3], words[report + 4] = 1, 7, 3, 2
    fails(world.check, "rank 0 waits at 7:3 for a flag of at least 2, which is 0; nobody signalled in time")
    world.check()
world.close()
fails(lambda: world.empty(1), "the world is closed")
broken = True
fails(lambda: tile.distributed.World(4096), "torch.distributed: somebody left")
print("distributed: as expected")
