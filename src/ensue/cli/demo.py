from rich.console import Console


def demo() -> None:
    """Show what Ensue does, on a small history."""
    Console().print("The demo comes with the engine, which is being built. Until then: ./ensue test")
