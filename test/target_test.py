"""The format of lit tests that leaves out those of targets that the build has not.

Targets are features: cpu, nvidia, amd, ascend. A test needs those whose passes, translations and devices it names.
"""
import re

import lit.formats
import lit.Test

TARGET_WORDS = {
    "cpu": r"tile-run|to-cpu|tile-to-(llvmir|object|asm)|mlir-to-c\b|tile-prefetch-blocks|tile-pack-subbyte|"
           r"tile-outline-parallel|embed-c|puzzles|%tile_lib|test/CAPI|test/Python/(?!models)|test/World",
    "nvidia": r"nvvm|nvgpu|tile-lower-gpu-math|\bptx|tile-to-(ptx|cubin)|cuda|test/GPU|mlir-to-c\b|td-examples",
    "amd": r"rocdl|amdgcn|hsaco|\bhip\b|test/GPU",
    "ascend": r"[aA]scend|hivm",
}


def find_targets(path):
    """The targets that a test needs."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = path + "\n" + file.read()
    # The documentation and an installation are those of all targets.
    if re.search(r"test/(Docs|Install)/", path):
        return set(TARGET_WORDS)
    needed = {name for name, words in TARGET_WORDS.items() if re.search(words, text)}
    # Threads are those of a vendor's GPU: of the chip that the command names, or the program, or the default one.
    program = re.sub(r".*(RUN|DEFINE):.*", "", text)
    for line in re.findall(r".*tile-to-(?:gpu|simt).*", text):
        named = line if re.search(r"gfx|sm_", line) else program
        needed.add("amd" if "gfx" in named else "nvidia")
    return needed


class TargetTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        missing = find_targets(test.getSourcePath()) - test.config.available_features
        if missing:
            return lit.Test.Result(lit.Test.UNSUPPORTED, "the build has no target " + ", ".join(sorted(missing)))
        return super().execute(test, lit_config)
