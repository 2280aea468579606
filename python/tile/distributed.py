# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that are processes of torch.distributed, each with a GPU of one host: docs/ranks.md."""
import ctypes
import math

import torch
import torch.distributed

from tile import _devices
from tile import _library as lib
from tile._errors import CallError, Error

_Gather = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
                           ctypes.POINTER(lib.RtError))


class _Exchange(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int32), ("size", ctypes.c_int32), ("context", ctypes.c_void_p), ("gather", _Gather),
                ("close", ctypes.c_void_p)]


class _Memory:
    """Bytes of the heap as PyTorch takes them; whatever aliases them keeps the world."""

    def __init__(self, world, address, size):
        self.world = world
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


def _make_gather(group, device):
    """Gathers bytes of all processes of the group, on the GPU where its backend is for those."""
    where = device if torch.distributed.get_backend(group) == "nccl" else "cpu"

    def gather(_, own, size, everything, error):
        try:
            piece = torch.frombuffer(bytearray(ctypes.string_at(own, size)), dtype=torch.uint8).to(where)
            pieces = [torch.empty_like(piece) for _ in range(torch.distributed.get_world_size(group))]
            torch.distributed.all_gather(pieces, piece, group=group)
            gathered = bytes(torch.cat(pieces).cpu().tolist())
            ctypes.memmove(everything, gathered, len(gathered))
            return True
        except Exception as failure:  # An exception cannot pass through C.
            error.contents.message = f"torch.distributed: {failure}".encode()[:1023]
            return False

    return _Gather(gather)


class World:
    """The argument of type !world.ranks of a kernel, and memory that all ranks reach. All processes of the group make it together, with
    the same size, and close it together; `empty` is called alike by all.

    size    bytes of symmetric memory of each rank
    group   a group of torch.distributed; by default all processes
    device  the number of the GPU; by default PyTorch's current one
    """

    def __init__(self, size, group=None, device=None):
        if not torch.distributed.is_initialized():
            raise Error("expected torch.distributed.init_process_group to be called before a world is made")
        ordinal = torch.cuda.current_device() if device is None else torch.device("cuda", device).index
        self.device = torch.device("cuda", ordinal)
        self._runtime = lib.runtime()
        self._comm, self._world = ctypes.c_void_p(), ctypes.c_void_p()
        self._gather = _make_gather(group, self.device)
        self.rank, self.size = torch.distributed.get_rank(group), torch.distributed.get_world_size(group)
        exchange = _Exchange(self.rank, self.size, None, self._gather, None)
        lib.check(self._runtime.tile_rt_comm_open_on, _devices.open_device("cuda", ordinal), ctypes.byref(exchange),
                  ctypes.byref(self._comm))
        try:
            lib.check(self._runtime.tile_rt_world_create_over, self._comm, size, ctypes.byref(self._world))
        except Error:
            self._runtime.tile_rt_comm_close(self._comm)
            raise
        words = ctypes.c_int64()
        table = self._runtime.tile_rt_world_table(self._world, self.rank, ctypes.byref(words))
        #: The argument of kernels: the table of this rank.
        self.table = self._alias(table, 8 * words.value).view(torch.int64)

    def _alias(self, address, size):
        return torch.as_tensor(_Memory(self, address, size), device=self.device)

    def _open(self):
        if not self._world:
            raise CallError("the world is closed")
        return self._world

    def empty(self, *shape, dtype=torch.float32):
        """A symmetric tensor, zero at first: each rank has its own, at the same place of its heap. It lives as long as the world."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        size, offset = math.prod(shape) * dtype.itemsize, ctypes.c_size_t()
        lib.check(self._runtime.tile_rt_world_alloc, self._open(), size, ctypes.byref(offset))
        address = self._runtime.tile_rt_world_address(self._world, self.rank, offset)
        return self._alias(address, size).view(dtype).view(shape) if size else torch.empty(shape, dtype=dtype, device=self.device)

    def set_timeout(self, seconds):
        """After how long a wait of this rank is in vain; 10 s at first. No kernel may run."""
        lib.check(self._runtime.tile_rt_world_set_timeout, self._open(), int(seconds * 1e9))

    def check(self):
        """Waits for the GPU; an error says which wait of this rank was in vain."""
        torch.cuda.synchronize(self.device)
        lib.check(self._runtime.tile_rt_world_check, self._open())

    def close(self):
        """Frees the memory of the ranks; tensors of it may be used no more."""
        if self._world:
            torch.cuda.synchronize(self.device)
            world, self._world = self._world, None
            self._runtime.tile_rt_world_free(world)
            self._runtime.tile_rt_comm_close(self._comm)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
