# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions."""


class Error(RuntimeError):
    """Anything that the compiler or the runtime refuses."""


class CallError(Error, ValueError):
    """A call whose arguments do not fit; nothing was launched."""


class CompileError(Error):
    """Source that does not compile. `diagnostics` has all that was said, with places and notes."""

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)
