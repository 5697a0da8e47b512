"""Writes the pages and pictures of the documentation that are made from the code: `python -m tools.pages`."""

from tools.pages.made import DOCS, made

for path, text in made().items():
    (DOCS / path).parent.mkdir(parents=True, exist_ok=True)
    (DOCS / path).write_text(text, "utf-8")
