"""One HTML file with everything in it: style, scripts and data. It asks nothing of any network, and may not.

The parts are files beside this one, so that they can be read and edited as what they are.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

SCRIPTS = ("data", "words", "dom", "scale", "filters", "timeline", "places", "details", "lists", "main")
"""The scripts in their order: each uses only those before it, and `main` starts."""


def page(data: Mapping[str, Any], title: str) -> str:
    """The whole page."""
    style = _asset("style.css")
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "\n})();"
    return Template(_asset("page.html")).substitute(
        title=html.escape(title),
        policy=html.escape(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none';"
            " form-action 'none'"
        ),
        style=style,
        script=script,
        data=embedded({**data, "title": title}),
    )


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that can stand inside a script element: whatever is in the data, it cannot end there."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _asset(name: str) -> str:
    return files("ensue.report").joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    """What the browser compares an inline part with, before it uses it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
