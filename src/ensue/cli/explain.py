from pathlib import Path
from textwrap import indent

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ensue.algebra import Context, Pattern, scope
from ensue.algebra.bounds import check_legal, lifespan
from ensue.cli._plan import plan_trees
from ensue.cli._sources import read_source
from ensue.errors import PatternError
from ensue.language import Program, parse_pattern, parse_program
from ensue.language.program import SelectedClass
from ensue.model import Taxonomy


def explain(subject: str, /, *, context: str = "recent") -> int:
    """Say what a pattern or a program means, and how it would be run.

    Parameters
    ----------
    subject
        A pattern, or the name of a file with a program.
    context
        The context of the pattern. The classes of a program have their own.
    """
    console = Console(highlight=False)
    program = _program(subject)
    if program is None:
        named = {"": (parse_pattern(subject), Context.of(context))}
    else:
        named = {one.declaration.name: (one.pattern, one.context) for one in program.complex_classes}
        console.print(Text(str(program)))
        console.print()
    for name, (pattern, chosen) in named.items():
        console.print(_facts(name, pattern, chosen), soft_wrap=True)
    taxonomy = program.taxonomy if program else Taxonomy()
    for tree in plan_trees(named, taxonomy):
        console.print(Padding(tree, (0, 0, 0, 2)))
    if program is not None:
        for item in program.selected_classes:
            console.print(_select_facts(item, program), soft_wrap=True)
    return 0


def _program(subject: str) -> Program | None:
    """The program, if the subject is a file; a pattern may be longer than any file name."""
    try:
        is_file = Path(subject).is_file()
    except (OSError, ValueError):
        return None
    return parse_program(read_source(subject), file=subject) if is_file else None


def _facts(name: str, pattern: Pattern, context: Context) -> Group:
    span = lifespan(pattern)
    facts = Table.grid(padding=(0, 2))
    facts.add_row("pattern", Text(str(pattern), style="bold"))
    facts.add_row("context", context.value)
    facts.add_row("β", f"{span}: {span.why}")
    facts.add_row("state", _state(pattern, context))
    bound = scope(pattern)
    if bound.sometimes:
        always = ", ".join(f"?{v}" for v in sorted(bound.always))
        some = ", ".join(f"?{v}" for v in sorted(bound.sometimes - bound.always))
        facts.add_row("variables", "; ".join(filter(None, (always, f"in some occurrences {some}" if some else ""))))
    facts.add_row("plan", "")
    return Group(*([Text(name, style="bold underline")] if name else []), facts)


def _select_facts(item: SelectedClass, program: Program) -> Group:
    """What Spark would be given, and whether more events can only give more rows. sqlglot is loaded only here."""
    from ensue.language.queries.nature import missing_keys, not_monotone
    from ensue.language.queries.rewriting import plain_sql

    reason = not_monotone(item)
    missing = "; ".join(f"of {used}, {why}" for used, why in missing_keys(item, program))
    facts = Table.grid(padding=(0, 2))
    facts.add_row("uses", ", ".join(sorted(item.uses)))
    facts.add_row("key", f"{', '.join(item.key)}{' (all attributes)' if not item.declaration.key else ''}")
    facts.add_row("monotone", f"no: it has {reason}" if reason else "yes: selections, projections and joins only")
    facts.add_row("keys held", f"no: {missing}" if missing else "yes: those of all classes that it uses")
    facts.add_row("way", _way(item, program))
    facts.add_row("SQL", "")
    sql = indent(plain_sql(item, program), "  ")
    return Group(Text(item.declaration.name, style="bold underline"), facts, Text(sql))


def _way(item: SelectedClass, program: Program) -> str:
    """How the steps of a window are worked out, where Spark is there to do it."""
    from ensue.spark.corrections.selecting import way_of

    return str(way_of(item, program))


def _state(pattern: Pattern, context: Context) -> str:
    try:
        check_legal(pattern, context)
    except PatternError as error:
        problem = error.diagnostics[0]
        return f"not to be run: {problem.message}; {problem.hint}"
    span = lifespan(pattern)
    if span.length == 0:
        return "nothing is kept from one event to the next"
    if span.length is not None:
        return f"occurrences of the parts, each for no longer than {span}"
    if span.until is not None:
        return f"occurrences of the parts, {span}"
    return "of each part the newest that can still be combined: of constant size, however long the stream"
