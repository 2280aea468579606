"""Kernels as those of TileLang's Ascend backend, which stand in npu/, against NumPy: on the CPU and on the models of both NPUs.

    npu_examples.py vectors|products [TARGET...]
"""
import importlib
import inspect
import os
import sys
import unittest

import numpy as np

import tile

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE, *TARGETS = sys.argv[1:]
REFERENCES = importlib.import_module("npu_" + MODULE)


class Examples(unittest.TestCase):
    def check(self, name, target, arguments, expected):
        with open(os.path.join(HERE, "npu", name + ".mlir"), encoding="utf-8") as file:
            options = {} if target == "cpu" else {"device": "model"}
            function = getattr(tile.compile(file.read(), target=target, name=name + ".mlir", **options), name)
        arguments = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        function(*arguments)
        for number, (values, tolerance) in expected.items():
            np.testing.assert_allclose(arguments[number], values, rtol=tolerance, atol=tolerance, err_msg=f"argument {number}")


def add(name, reference):
    def test(self):
        arguments, expected = reference()
        for target in TARGETS or ["cpu", "910B", "950"]:
            with self.subTest(target):
                self.check(name, target, arguments, expected)
    setattr(Examples, "test_" + name, test)


for _name, _reference in inspect.getmembers(REFERENCES, inspect.isfunction):
    if os.path.exists(os.path.join(HERE, "npu", _name + ".mlir")) and _reference.__module__ == REFERENCES.__name__:
        add(_name, _reference)

unittest.main(argv=sys.argv[:1])
