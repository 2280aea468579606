# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions as operators of PyTorch, which torch.compile and export take: docs/python.md."""
import torch

from tile._errors import Error

_TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i1": torch.bool,
          "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
          "f8E4M3FN": getattr(torch, "float8_e4m3fn", None), "f8E5M2": getattr(torch, "float8_e5m2", None)}


def _schema_type(parameter):
    if parameter.shape is not None:
        return "Tensor"
    if parameter.dtype == "i1":
        return "bool"
    return "float" if parameter.dtype.startswith(("f", "bf")) else "int"


def _find_results(name, parameters, results):
    """The numbers of the arguments that the operator makes."""
    numbers = []
    for result in results:
        number = next((i for i, p in enumerate(parameters) if result in (i, p.name)), None)
        if number is None or parameters[number].shape is None or number in numbers:
            raise Error(f"{name}: results: expected different arguments that are tensors "
                        f"({', '.join(p.name for p in parameters if p.shape is not None)}), got {result!r}")
        numbers.append(number)
    sizes = {size for i, p in enumerate(parameters) if i not in numbers for size in p.shape or ()}
    for number in numbers:
        result = parameters[number]
        if _TYPES.get(result.dtype) is None:
            raise Error(f"{name}: results: PyTorch has no elements of {result.dtype}; pass '{result.name}' as an argument")
        unknown = [size for size in result.shape if not isinstance(size, int) and (size is None or size not in sizes)]
        if unknown:
            raise Error(f"{name}: results: the size {unknown[0]!r} of '{result.name}' is that of no argument; pass '{result.name}'")
    return numbers


def custom_op(name, module, function=None, results=()):
    """Registers a function of a compiled module as the operator "library::operator" and returns it.

    function  its name, where the module has several
    results   arguments, by name or number, that the operator makes and returns; it takes the others in their order. Without
              them it returns nothing, and writes to the arguments that the function writes to.
    """
    if function is None:
        if len(module) != 1:
            raise Error(f"{name}: expected the name of one function of the module ({', '.join(module)}), got none")
        function = next(iter(module))
    parameters = module.parameters(function)
    made = _find_results(name, parameters, results)
    given = [i for i in range(len(parameters)) if i not in made]
    names = {i: parameters[i].name if parameters[i].name.isidentifier() else f"argument{i}" for i in given}
    written = [i for i in given if parameters[i].written]
    aliases = {i: f"Tensor(a{i}!)" for i in written}
    arguments = ", ".join(f"{aliases.get(i) or _schema_type(parameters[i])} {names[i]}" for i in given)
    schema = f"({arguments}) -> ({', '.join('Tensor' for _ in made)})"

    def make_results(values):
        sizes = {}
        for i, value in zip(given, values):
            if parameters[i].shape is not None:
                sizes.update(zip(parameters[i].shape, value.shape))
        device = next((value.device for value in values if isinstance(value, torch.Tensor)), None)
        return {i: torch.empty([size if isinstance(size, int) else sizes[size] for size in parameters[i].shape],
                               dtype=_TYPES[parameters[i].dtype], device=device) for i in made}

    def give_back(results):
        return None if not made else results[made[0]] if len(made) == 1 else tuple(results[i] for i in made)

    def run(*values):
        everything = {**dict(zip(given, values)), **make_results(values)}
        module[function](*(everything[i] for i in range(len(parameters))))
        return give_back(everything)

    operator = torch.library.custom_op(name, run, mutates_args=[names[i] for i in written], schema=schema)
    operator.register_fake(lambda *values: give_back(make_results(values)))
    return operator
