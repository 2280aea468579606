"""tile.torch.custom_op with PyTorch: results, mutated arguments, fake tensors, torch.compile, wrong calls."""
import unittest

import torch

import tile
import tile.torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SOURCE = """
func.func @scale(%x: memref<?x8xf32> {tile.shape = "Nx8"}, %y: memref<?x8xf32> {tile.shape = "Nx8"}, %by: f32) {
  tile.kernel (%b) in (dim(%x, 0)) threads(64) {
    tile.parallel (%i) in (8) do %y[%b, %i] = %x[%b, %i] * %by
  }
  return
}"""


class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = tile.compile(SOURCE, device=DEVICE)
        cls.scaled = staticmethod(tile.torch.custom_op("tile_test::scaled", cls.module, results=["y"]))
        cls.scale = staticmethod(tile.torch.custom_op("tile_test::scale", cls.module))

    def test_results_are_made(self):
        for rows in (1, 5, 64):
            x = torch.randn(rows, 8, device=DEVICE)
            self.assertTrue(torch.equal(self.scaled(x, 2.5), x * 2.5))

    def test_arguments_are_written(self):
        x, y = torch.randn(3, 8, device=DEVICE), torch.zeros(3, 8, device=DEVICE)
        self.assertIsNone(self.scale(x, y, 3.0))
        self.assertTrue(torch.equal(y, x * 3))

    def test_pytorch_checks_the_registration(self):
        x = torch.randn(3, 8, device=DEVICE)
        tests = ("test_schema", "test_faketensor")
        torch.library.opcheck(self.scaled, (x, 2.0), test_utils=tests)
        torch.library.opcheck(self.scale, (x, torch.empty_like(x), 2.0), test_utils=tests)

    def test_shapes_of_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode():
            y = self.scaled(torch.empty(7, 8, device=DEVICE), 1.0)
        self.assertEqual((tuple(y.shape), y.dtype, y.device.type), ((7, 8), torch.float32, DEVICE))

    def test_compiled_programs(self):
        @torch.compile(fullgraph=True, backend="inductor" if DEVICE == "cuda" else "eager")
        def program(x, y):
            z = self.scaled(x.sin(), 2.0) + 1
            self.scale(z, y, 0.5)
            return z, y * 2
        for rows in (4, 9, 10):
            x = torch.randn(rows, 8, device=DEVICE)
            z, y = program(x, torch.zeros_like(x))
            torch.testing.assert_close(z, x.sin() * 2 + 1)
            torch.testing.assert_close(y, z)

    def test_wrong_registrations(self):
        for results in (["by"], ["x", "x"], ["none"], [3]):
            with self.assertRaisesRegex(tile.Error, "expected different arguments that are tensors"):
                tile.torch.custom_op("tile_test::wrong", self.module, results=results)
        with self.assertRaisesRegex(tile.Error, "the size 'N' of 'x' is that of no argument"):
            tile.torch.custom_op("tile_test::wrong", self.module, results=["x", "y"])

    def test_wrong_calls(self):
        with self.assertRaisesRegex(tile.CallError, "x"):
            self.scaled(torch.randn(3, 9, device=DEVICE), 1.0)


if __name__ == "__main__":
    unittest.main()
