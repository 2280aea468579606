"""What the host function of a kernel that TileLang has compiled does: the tensor maps it encodes and the kernels it launches."""
import math
import operator

import tvm
from tvm import ir, tirx

# The fields of an argument (TVM's struct_get): its data, sizes, strides, device; and the number that tells of what type it is.
DATA, SHAPE, STRIDES, OFFSET, DEVICE, TYPE, VALUES = 1, 2, 3, 8, 9, 13, (14, 15, 16)
INFIX = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "FloorDiv": operator.floordiv, "Div": operator.floordiv,
         "FloorMod": operator.mod, "Mod": operator.mod, "Min": min, "Max": max, "EQ": operator.eq, "NE": operator.ne,
         "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge, "And": operator.and_, "Or": operator.or_}


def strides_of(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


class Host:
    """Evaluates a host function for arguments: a shape for each tensor, a number for each scalar."""

    def __init__(self, function, arguments):
        self.arguments, self.bound, self.calls, self.workspaces = arguments, {}, [], {}
        self.packed = function.params[1]
        tirx.stmt_functor.post_order_visit(function.body, self._collect)
        self.calls = [[self.evaluate(a) for a in call.args] for call in self.calls]

    def _collect(self, node):
        if isinstance(node, tirx.Bind):
            self.bound[node.var] = node.value
        elif isinstance(node, tirx.Call) and isinstance(node.op, ir.Op) and "call_packed" in node.op.name:
            self.calls.append(node)
        elif isinstance(node, tirx.AllocBuffer):
            buffer = node.buffer
            size = math.prod(self.evaluate(extent) for extent in buffer.shape)
            self.workspaces[buffer.data.name] = size * ((tvm.DataType(buffer.dtype).bits + 7) // 8)

    def evaluate(self, node):
        """A number, a string, or ("data", i) for where the elements of an argument are."""
        kind = type(node).__name__
        if kind in ("IntImm", "StringImm", "FloatImm"):
            return node.value
        if kind == "Var":
            value = self.bound.get(node)
            is_name = value is None or getattr(getattr(value, "op", None), "name", "").endswith("tvm_stack_alloca")
            return node.name if is_name else self.evaluate(value)
        if kind == "Cast":
            return self.evaluate(node.value)
        if kind == "Select":
            return self.evaluate(node.true_value if self.evaluate(node.condition) else node.false_value)
        if kind == "Not":
            return not self.evaluate(node.a)
        if kind == "BufferLoad":
            field, number = self.evaluate(node.buffer.data)
            shape = self.arguments[number]
            return (shape if field == "shape" else strides_of(shape))[self.evaluate(node.indices[0])]
        if kind in INFIX:
            return INFIX[kind](self.evaluate(node.a), self.evaluate(node.b))
        if kind == "Call":
            return self._call(node)
        raise ValueError(f"a host expression of kind {kind}")

    def _call(self, node):
        name = node.op.name.split(".")[-1]
        if name == "tvm_struct_get":
            return self._get_field(*node.args[:3])
        if name == "if_then_else":
            return self.evaluate(node.args[1] if self.evaluate(node.args[0]) else node.args[2])
        if name == "isnullptr":
            return False
        if name in ("bitwise_and", "shift_left", "shift_right"):
            apply = {"bitwise_and": operator.and_, "shift_left": operator.lshift, "shift_right": operator.rshift}[name]
            return apply(*map(self.evaluate, node.args))
        return name

    def _get_field(self, of, index, field):
        field = int(field)
        if of.same_as(self.packed):
            number = int(index)
            if field == TYPE:
                return 0
            given = self.arguments[number]
            return given if isinstance(given, (int, float)) else ("argument", number)
        _, number = self.evaluate(of)
        if field in (OFFSET, DEVICE):
            return 0
        return ({DATA: "data", SHAPE: "shape", STRIDES: "strides"}[field], number)


def tensor_map(arguments):
    """The operands of cuTensorMapEncodeTiled or …Im2col by name."""
    kind, rank, data = arguments[1], arguments[2], arguments[3]
    rest = list(arguments[4:])

    def take(count):
        taken, rest[:] = rest[:count], rest[count:]
        return taken
    made = {"type": kind, "data": data if isinstance(data, str) else data[1], "sizes": take(rank), "strides": take(rank)[1:]}
    if len(rest) == 2 * rank + 4:
        made.update(box=take(rank), element_strides=take(rank))
    else:
        made.update(element_strides=take(rank), lower=take(rank - 2), upper=take(rank - 2))
        made["pixels"], made["channels"] = take(2)
    made["interleave"], made["swizzle"], made["l2"], made["fill"] = rest
    return made


def launches(artifact, arguments):
    """In order: the kernels with grid, block, shared memory and parameters, among which are tensor maps; then the bytes of workspaces.

    `data` is the number of an argument or the name of a workspace.
    """
    maps, found, workspaces = {}, [], {}
    kernels = {name.name_hint: function for name, function in artifact.device_mod.functions.items()}
    is_cooperative = "this_grid().sync" in artifact.kernel_source
    for function in artifact.host_mod.functions.values():
        host = Host(function, arguments)
        workspaces.update(host.workspaces)
        for name, *operands in host.calls:
            if name.startswith("__tvm_tensormap_create"):
                maps[operands[0]] = tensor_map(operands)
            elif name in kernels:
                found.append(_launch(name, kernels[name], operands, maps, is_cooperative))
            elif name != "__tvm_set_device":
                raise ValueError(f"a host call of {name}")
    return found, workspaces


def _launch(name, kernel, operands, maps, is_cooperative):
    made = {"kernel": name, "grid": [1, 1, 1], "block": [1, 1, 1], "shared": 0, "parameters": [], "cooperative": is_cooperative}
    extents = [str(tag) for tag in kernel.attrs["tirx.kernel_launch_params"]]
    for tag, value in zip(extents, operands[len(kernel.params):]):
        if tag.startswith(("blockIdx.", "threadIdx.")):
            made["grid" if tag[0] == "b" else "block"]["xyz".index(tag[-1])] = value
        elif "dyn_shared" in tag:
            made["shared"] = value
        else:
            made.setdefault("tags", []).append(tag)
    if "cluster_dims" in kernel.attrs:
        made["cluster"] = [int(extent) for extent in kernel.attrs["cluster_dims"]]
    for parameter, value in zip(kernel.params, operands):
        if isinstance(value, str):
            made["parameters"].append({"map": maps[value]} if value in maps else {"data": value})
        elif isinstance(value, tuple):
            made["parameters"].append({"data": value[1]})
        else:
            made["parameters"].append({"value": value, "type": str(parameter.dtype)})
    return made
