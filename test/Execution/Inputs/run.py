"""Runs a kernel on given codes: tensors travel through .npy files."""
import os
import struct
import subprocess

from formats import width

NPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "|V2", "i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4",
       "i64": "<i8"}


def write(path, name, shape, codes):
    bits = width(name)
    if bits == 4:
        codes = [low | high << 4 for low, high in zip(codes[::2], codes[1::2])]
        shape = [*shape[:-1], shape[-1] // 2]
    data = b"".join(code.to_bytes(max(bits, 8) // 8, "little") for code in codes)
    extents = "".join(f"{extent}," for extent in shape)
    header = f"{{'descr': '{NPY.get(name, '|V1')}', 'fortran_order': False, 'shape': ({extents}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read(path, name):
    with open(path, "rb") as file:
        content = file.read()
    data = content[10 + struct.unpack_from("<H", content, 8)[0]:]
    if width(name) == 4:
        return [code for byte in data for code in (byte & 15, byte >> 4)]
    size = max(width(name), 8) // 8
    return [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]


class Program:
    """A function under construction. Inputs have codes, outputs have not."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.arguments, self.lines = folder, [], []

    def argument(self, element, shape, codes=None):
        """Returns its name and type."""
        self.arguments.append((element, shape, codes))
        return f"%arg{len(self.arguments) - 1}", self.type(element, shape)

    @staticmethod
    def type(element, shape, space=""):
        return "memref<" + "".join(f"{extent}x" for extent in shape) + element + (f", #tile.{space}>" if space else ">")

    def kernel(self, *lines, blocks=1):
        self.lines += [f"tile.kernel (%block) in ({blocks}) {{", *lines, "}"]

    def run(self, tile_run, *more):
        """The codes of the outputs, by the name of the argument."""
        parameters, options = [], []
        for i, (element, shape, codes) in enumerate(self.arguments):
            path = os.path.join(self.folder, f"{i}.npy")
            mark = " {tile.result}" if codes is None else ""
            parameters.append(f"%arg{i}: {self.type(element, shape)}{mark}")
            options.append(f"--out={i}:{path}" if codes is None else f"--arg={i}:{path}")
            if codes is not None:
                write(path, element, shape, codes)
        program = "\n".join([f"func.func @f({', '.join(parameters)}) {{", *self.lines, "return", "}"])
        with open(os.path.join(self.folder, "program.mlir"), "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([tile_run, file.name, "--check=none", *more, *options], check=True, stdout=subprocess.DEVNULL)
        return {f"%arg{i}": read(os.path.join(self.folder, f"{i}.npy"), element)
                for i, (element, _, codes) in enumerate(self.arguments) if codes is None}
