#!/usr/bin/env python3
"""Checks the instruction tables of GPUs against an assembler.

usage: check-target-rows.py TBLGEN VENDOR ASSEMBLER INCLUDE_DIR

VENDOR is NVIDIA (ASSEMBLER: ptxas) or AMD (ASSEMBLER: llvm-mc). Every instruction that some chip of the vendor has is
assembled for every chip of the vendor: the assembler must take it exactly for the chips whose records have it.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

PTX_TYPES = {"i4": "s4", "i8": "s8", "i32": "s32", "ui4": "u4", "ui8": "u8", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2",
             "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1", "f16": "f16", "bf16": "bf16", "tf32": "tf32",
             "f32": "f32", "f64": "f64"}
# The scale types of mma are unsigned.
PTX_SCALES = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}

PTX_HEADER = """.version 9.0
.target {chip}
.address_size 64
.visible .entry k() {{
.reg .b16 h<9>; .reg .b32 r<129>; .reg .f32 f<129>; .reg .b64 d<9>; .reg .f64 g<17>; .reg .pred p;
.shared .align 1024 .b8 s[8192];
"""

# By instruction, source and destination; {r} stands for the registers of one thread.
PTX_COPIES = {
    "ld.global": "ld.global{v} {r},[d0];",
    "st.global": "st.global{v} [d0],{r};",
    "ld.shared": "ld.shared{v} {r},[s];",
    "st.shared": "st.shared{v} [s],{r};",
    "ld.shared::cluster": "ld.shared::cluster{v} {r},[r100];",
    "st.shared::cluster": "st.shared::cluster{v} [r100],{r};",
    "st.async.shared::cluster": "st.async.shared::cluster.mbarrier::complete_tx::bytes{v} [r100],{r},[r101];",
    "ld.global.v8.b32": "ld.global.v8.b32 {r},[d0];",
    "st.global.v8.b32": "st.global.v8.b32 [d0],{r};",
    "cp.async": "cp.async.ca.shared.global [s],[d0],{bytes};",
    "ldmatrix.sync.aligned.m8n8": "ldmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16 {r},[s];",
    "stmatrix.sync.aligned.m8n8": "stmatrix.sync.aligned.m8n8.x{n}.trans.shared.b16 [s],{r};",
    "ldmatrix.sync.aligned.m16n16.trans.b8": "ldmatrix.sync.aligned.m16n16.x{half}.trans.shared.b8 {r},[s];",
    "stmatrix.sync.aligned.m16n8.trans.b8": "stmatrix.sync.aligned.m16n8.x{n}.trans.shared.b8 [s],{r};",
    "tcgen05.ld.sync.aligned.32x32b": "tcgen05.ld.sync.aligned.32x32b.x{n}.b32 {r},[r128];",
    "tcgen05.st.sync.aligned.32x32b": "tcgen05.st.sync.aligned.32x32b.x{n}.b32 [r128],{r};",
    "tcgen05.cp.cta_group::1": "tcgen05.cp.cta_group::1.{shape} [r100],d0;",
}
PTX_BULK = {
    ("cp.async.bulk", "global", "shared"):
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s],[d0],{bytes},[s+4096];",
    ("cp.async.bulk", "shared", "global"): "cp.async.bulk.global.shared::cta.bulk_group [d0],[s],{bytes};",
    ("cp.async.bulk", "shared", "peer-shared"):
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r100],[s],{bytes},[r101];",
    ("cp.async.bulk.tensor", "global", "shared"):
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s],[d0,{{r0,r1}}],[s+4096];",
    ("cp.async.bulk.tensor", "shared", "global"):
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [d0,{{r0,r1}}],[s];",
}
PTX_TMEM_SHAPES = {128: "4x256b", 512: "32x128b.warpx4", 1024: "64x128b.warpx2::02_13", 2048: "128x128b",
                   4096: "128x256b"}
PTX_VECTORS = {1: ".b8", 2: ".b16", 4: ".b32", 8: ".v2.b32", 16: ".v4.b32"}

AMD_WORDS = {1: "ubyte", 2: "ushort", 4: "dword", 8: "dwordx2", 12: "dwordx3", 16: "dwordx4"}
AMD_LDS = {1: "8", 2: "16", 4: "b32", 8: "b64", 16: "b128"}


class Records:
    def __init__(self, tblgen, include):
        td = os.path.join(include, "Tile", "Target", "Targets.td")
        out = subprocess.run([tblgen, "--dump-json", "-I", include, td], check=True, stdout=subprocess.PIPE).stdout
        self.all = json.loads(out)

    def get(self, reference):
        return self.all[reference["def"]]

    def spelling(self, reference):
        return self.get(reference)["spelling"]

    def targets(self, vendor):
        return [t for t in (self.all[name] for name in self.all["!instanceof"]["Target"])
                if self.spelling(t["vendor"]) == vendor]


def ptx_registers(prefix, count, start=0):
    names = ",".join(f"{prefix}{i}" for i in range(start, start + count))
    return "{" + names + "}"


def ptx_fragment(elements, bits, threads):
    """Registers of a fragment: d (64 bits) or r."""
    if bits == 64:
        return "g", elements // threads
    return "r", elements * bits // 32 // threads


def ptx_accumulator(row, n, c):
    prefix, count = ptx_fragment(row["m"] * n, {"f64": 64, "f16": 16}.get(c, 32), row["threads"])
    return ptx_registers("f" if c == "f32" else prefix, count)


def ptx_mma_sync(row, a, b, c, scale):
    container = {"f64": 64, "tf32": 32, "f16": 16, "bf16": 16}.get(a, 8)
    if a in ("i4", "ui4") or row["k"] == 64:
        container = 4
    d = ptx_accumulator(row, row["nMin"], c)
    a_regs = ptx_registers(*ptx_fragment(row["m"] * row["k"], container, 32))
    b_regs = ptx_registers(*ptx_fragment(row["k"] * row["nMin"], container, 32))
    types = ".".join(PTX_TYPES[t] for t in (c, a, b, c))
    name, tail = row["instruction"], ""
    if a.startswith("f8") and b.startswith("f8"):
        # Of two 8-bit types this is the instruction without a kind, and taken where that is.
        name = name.replace(".kind::f8f6f4", "")
    if scale != "none":
        types += "." + PTX_SCALES[scale]
        tail = ",{r100},{0,0},{r101},{0,0}"
    yield f"{name}.{types} {d},{a_regs},{b_regs},{d}{tail};"
    if row["sparse"]:
        name = name.replace("mma.", "mma.sp::ordered_metadata.").replace(f"k{row['k']}.", f"k{2 * row['k']}.")
        b_regs = ptx_registers(*ptx_fragment(2 * row["k"] * row["nMin"], container, 32))
        yield f"{name}.{types} {d},{a_regs},{b_regs},{d},r100,0;"


def ptx_wgmma(row, a, b, c, a_spaces):
    for n in sorted({row["nMin"], row["nMin"] + row["nStep"], row["nMax"]}):
        # Registers of the accumulator end below those of A.
        if n > row["nMax"]:
            continue
        d = ptx_accumulator(row, n, c)
        name = f"{row['instruction']}.m64n{n}k{row['k']}." + ".".join(PTX_TYPES[t] for t in (c, a, b))
        negate = "" if c == "i32" else ",1,1"
        for space in a_spaces:
            source = "d0" if space == "shared" else ptx_registers("r", 4, 124)
            transposed = row["aTransposed"] * (",1" if space == "shared" else "") + row["bTransposed"] * ",1"
            yield f"{name} {d},{source},d1,1{negate}{transposed};"
            if row["sparse"]:
                sparse = name.replace("mma_async.", "mma_async.sp.").replace(f"k{row['k']}.", f"k{2 * row['k']}.")
                yield f"{sparse} {d},{source},d1,r123,0,1{negate}{transposed};"


def ptx_tcgen05(row, a_spaces):
    scales = ",[r102],[r103]" if row["scaleBlock"] else ""
    for space in a_spaces:
        source = "d0" if space == "shared" else "[r101]"
        yield f"{row['instruction']} [r100],{source},d1,r104{scales},p;"


def ptx_mma(records, row):
    family = records.spelling(row["family"])
    a_types, b_types = ([records.spelling(t) for t in row[side]] for side in "ab")
    c, scale = records.spelling(row["c"]), records.spelling(row["scale"])
    spaces = [records.spelling(s) for s in row["aSpaces"]]
    for a in a_types:
        for b in b_types:
            if family == "mma":
                yield from ptx_mma_sync(row, a, b, c, scale)
            elif family == "wgmma":
                yield from ptx_wgmma(row, a, b, c, spaces)
            else:
                yield from ptx_tcgen05(row, spaces)


def ptx_copy(records, row):
    name, source, target = row["instruction"], records.spelling(row["from"]), records.spelling(row["to"])
    for size in row["widths"] or [row["granule"]]:
        words = max(size // 4, 1)
        registers = ptx_registers("r", words)
        if size <= 4 and PTX_COPIES.get(name, "").count("{v}"):
            registers = "r0" if size == 4 else "h0"
        template = PTX_BULK.get((name, source, target)) or PTX_COPIES[name]
        yield template.format(v=PTX_VECTORS.get(size, ""), r=registers, bytes=size, n=words, half=words // 2,
                              shape=PTX_TMEM_SHAPES.get(size, ""))


def ptx_rejected(assembler, chip, lines):
    header = PTX_HEADER.format(chip=chip)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(header + "\n".join(lines) + "\nret;\n}\n")
        run = subprocess.run([assembler, "-arch", chip, "-o", os.path.join(folder, "out"), path],
                             stderr=subprocess.STDOUT, stdout=subprocess.PIPE, check=False)
    text = run.stdout.decode()
    if run.returncode and "error" not in text or "Parsing error" in text:
        sys.exit(text)
    first = header.count("\n") + 1
    return {int(line) - first for line in re.findall(r"rows\.ptx, line (\d+); error", text)}


def amd_mma(records, row):
    per_lane = 32 * row["threads"]

    def registers(elements, bits):
        count = elements * bits // per_lane
        return "v0" if count == 1 else f"v[0:{count - 1}]"

    name = row["instruction"]
    # Both halves of a wave of gfx11 have all of an operand.
    copies = 2 if "gfx11" in row["layout"] else 1
    bits = max(records.get(t)["bitWidth"] for t in row["a"])
    # The operands of this one have eight registers, whatever the type.
    operand = "v[0:7]" if "f8f6f4" in name else registers(copies * row["m"] * row["k"], bits)
    c = registers(row["m"] * row["nMin"], records.get(row["c"])["bitWidth"])
    scales = ", v8, v9" if row["scaleBlock"] else ""
    yield f"{name} {c}, {operand}, {operand}, {c}{scales}"


def amd_copy(records, row):
    name = row["instruction"]
    for size in row["widths"]:
        words = max(size // 4, 1)
        data = "v0" if words == 1 else f"v[0:{words - 1}]"
        word = AMD_WORDS[size]
        if name.endswith("_store"):
            word = {1: "byte", 2: "short"}.get(size, word)
        yield {
            "global_load": f"global_load_{word} {data}, v[6:7], off",
            "global_store": f"global_store_{word} v[6:7], {data}, off",
            "buffer_load": f"buffer_load_{word} {data}, off, s[8:11], s3",
            "buffer_store": f"buffer_store_{word} {data}, off, s[8:11], s3",
            "buffer_load_lds": f"buffer_load_{word} off, s[8:11], s3 lds",
            "global_load_lds": f"global_load_lds_{word} v[6:7], off",
            "ds_read": f"ds_read_{'u' * (size < 4)}{AMD_LDS.get(size)} {data}, v9",
            "ds_write": f"ds_write_{'b' * (size < 4)}{AMD_LDS.get(size)} v9, {data}",
        }.get(name, f"{name} {data}, v9")


def amd_rejected(assembler, chip, lines):
    run = subprocess.run([assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-o", os.devnull],
                         input="\n".join(lines).encode(), stderr=subprocess.PIPE, check=False)
    return {int(line) - 1 for line in re.findall(r"^<stdin>:(\d+):\d+: error", run.stderr.decode(), re.M)}


def main():
    tblgen, vendor, assembler, include = sys.argv[1:]
    records = Records(tblgen, include)
    mma, copy, rejected = {"NVIDIA": (ptx_mma, ptx_copy, ptx_rejected), "AMD": (amd_mma, amd_copy, amd_rejected)}[vendor]
    targets = records.targets(vendor)
    owners = collections.defaultdict(set)
    for target in targets:
        for kind, write in (("mmas", mma), ("copies", copy)):
            for reference in target[kind]:
                for line in write(records, records.get(reference)):
                    owners[line].add(target["name"])
    lines = sorted(owners)
    failures = 0
    for target in targets:
        chip = target["name"]
        refused = rejected(assembler, target["arch"], lines)
        for number, line in enumerate(lines):
            if (chip in owners[line]) == (number in refused):
                failures += 1
                print(f"{chip}: {'refused' if number in refused else 'taken, but not in the record'}: {line}")
    print(f"{len(lines)} instructions, {len(targets)} chips, {failures} disagreements")
    sys.exit(1 if failures or not lines else 0)


main()
