"""Draw docs/pictures/demo.svg: what `ensue demo` shows at a moment at which all cases can be seen.

.venv/bin/python tools/draw_demo.py

Fonts are left to whoever looks at it: a picture that fetches some would not be one that needs no network.
"""

import io
import re
import tempfile
from collections import Counter
from pathlib import Path
from threading import Event

from rich.console import Console

from ensue.cli._cases import LOOKS
from ensue.cli._demo_run import demo_session, run_demo
from ensue.cli._demo_view import State, View, picture
from ensue.demo.catalogue import EARTHQUAKES
from ensue.demo.laying import announcements, lay
from ensue.report.history import Told

TARGET = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "demo.svg"
LINES, WIDTH = 16, 112


def main() -> None:
    told: list[Told] = []
    moments: list[tuple[State, tuple[Told, ...]]] = []

    def seen(state: State) -> None:
        if 0 < state.done < state.total:
            moments.append((state, tuple(told[-LINES:])))

    with tempfile.TemporaryDirectory() as folder, demo_session("earthquakes") as spark:
        laid = lay(EARTHQUAKES, announcements(EARTHQUAKES, None), Path(folder) / "demo")
        run_demo(spark, laid, View(told.extend, seen), Event())
    state, last = max(moments, key=lambda moment: min(Counter(one.case for one in moment[1])[case] for case in LOOKS))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(picture(last, EARTHQUAKES.shown, state))
    drawn = console.export_svg(title="./ensue demo", unique_id="demo")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), "utf-8")
    print(f"{TARGET}: {state.done:,} of {state.total:,} announcements")


if __name__ == "__main__":
    main()
