"""Kernels where Numba finds no place to keep what it has compiled."""

from ensue.engine.kernels.compiled import kernel


def test_a_kernel_that_cannot_be_kept_is_compiled_all_the_same():
    """Code that is in no file has no place either: Numba refuses in the same way as on a read-only disk."""
    names: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x\n", names)  # noqa: S102 - the only way to have code without a file
    assert kernel(names["twice"])(21) == 42  # type: ignore[arg-type]
