"""From an id to where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from ensue.asking.why.records import Cause, Definition, Key, Node, Part, Records, Told, Version, Why
from ensue.errors import Diagnostic, InputError
from ensue.time import format_instant

TIMER = "timer"
_SHORTEST = 4
_SHOWN = 8
_FEW = 3


def why(name: str, records: Records) -> Why:
    """Everything that is known about the occurrence, or the event, of an id or of the beginning of one."""
    key = _found(name, records)
    versions = records.versions([Part(*key)])[key]
    chosen = _asked(name, versions)
    root = _node(key, versions, chosen, records)
    definition = records.definition(key[0])
    told = records.told(key)
    return Why(
        root,
        definition,
        versions,
        tuple((one, _causes(one, records)) for one in told),
        _standing(chosen, versions),
        _similar(root, definition, records) if root.parts is None else (),
    )


def _found(name: str, records: Records) -> Key:
    found = records.called(name, whole=True) or records.called(name, whole=False)
    if len(found) == 1:
        return next(iter(found))
    if found:
        listed = ", ".join(f"{text} ({of_class})" for (of_class, _), text in sorted(found.items())[:_SHOWN])
        more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
        message = f"{len(found):,} ids in {records.name} begin with {name}: {listed}{more}"
        raise InputError(Diagnostic("E610", message, hint="give more of the id"))
    if records.definition(name) is not None:
        some = [_in_words(one, records) for one in records.ids(name)[-_FEW:]]
        hint = f"of its occurrences: {'; '.join(some)}" if some else "it has no occurrences"
        raise InputError(Diagnostic("E610", f"{name} is a class, and no id in {records.name}", hint=hint))
    known = records.ids()
    near = get_close_matches(name, known, n=_FEW, cutoff=0.6)
    near = near or [one for one in known if one.startswith(name[:_SHORTEST])][:_FEW]
    hint = f"did you mean {', '.join(near)}?" if near else _some(known)
    raise InputError(Diagnostic("E610", f"there is no id {name} in {records.name}", hint=hint))


def _in_words(occurrence: str, records: Records) -> str:
    key = next(iter(records.called(occurrence, whole=True)))
    version = records.versions([Part(*key)])[key][-1]
    values = "".join(f", {name} = {value}" for name, value in version.attributes.items())
    return f"{occurrence} at {format_instant(version.end)}{values}"


def _some(known: Sequence[str]) -> str:
    return f"ids there are {', '.join(known[:_FEW])}" if known else "there are no occurrences in it, only events"


def _asked(name: str, versions: Sequence[Version]) -> Version:
    """The version that is asked for: the last one that is no withdrawal, of those with the id, if it is an id."""
    of_id = [one for one in versions if one.id.startswith(name)] or list(versions)
    return ([one for one in of_id if not one.withdrawn] or of_id)[-1]


def _node(key: Key, versions: Sequence[Version], version: Version, records: Records) -> Node:
    """An event and what it is made of, each as it was believed when this was."""
    if version.parts is None:
        return Node(*key, version, None, _later(version, versions))
    found = records.versions(version.parts) if version.parts else {}
    parts = tuple(_part(part, found, version.detected, records) for part in version.parts)
    return Node(*key, version, parts, _later(version, versions))


def _part(part: Part, found: Mapping[Key, tuple[Version, ...]], at: int | None, records: Records) -> Node:
    keys = [key for key in found if key[1] == part.key and part.type in (None, key[0])]
    if part.time is not None and len(keys) > 1:  # ids of different classes may be the same, their times hardly
        keys = [key for key in keys if any(one.end == part.time for one in found[key])] or keys
    if not keys:
        of_class = TIMER if part.key.startswith("+") else part.type or "unknown"
        known = None if part.time is None else Version(part.key, part.time, part.time, {})
        return Node(of_class, part.key, known)
    versions = found[keys[0]]
    believed = [one for one in versions if not one.withdrawn and _up_to(one, at)]
    return _node(keys[0], versions, (believed or list(versions))[-1], records)


def _up_to(version: Version, at: int | None) -> bool:
    return at is None or version.detected is None or version.detected <= at


def _later(version: Version, versions: Sequence[Version]) -> str:
    """What has become of a version."""
    after = versions[list(versions).index(version) + 1 :]
    if not after or after[0].detected is None:
        return ""
    when = format_instant(after[0].detected)
    return f"withdrawn {when}" if after[0].withdrawn else f"changed {when}"


def _standing(version: Version, versions: Sequence[Version]) -> str:
    """Whether it is still believed, and what has taken its place."""
    last = versions[-1]
    if last.detected is None:
        return ""
    if last.withdrawn:
        return f"withdrawn at {format_instant(last.detected)}"
    if last.id != version.id:
        return f"replaced by {last.id} at {format_instant(last.detected)}"
    return "believed now"


def _causes(told: Told, records: Records) -> tuple[Cause, ...] | None:
    """What changed about the events that caused a publication."""
    if told.why is None:
        return None
    found = records.versions(told.why) if told.why else {}
    return tuple(
        Cause(part.type or "", part.key, _change(found.get((part.type or "", part.key), ()), told.detected))
        for part in told.why
    )


def _change(versions: Sequence[Version], at: int) -> str:
    """What became different at a step, beside what was believed before it."""
    before = [one for one in versions if one.detected is not None and one.detected < at]
    now = [one for one in versions if one.detected == at]
    if not now:
        return "changed"
    if now[-1].withdrawn:
        return "was withdrawn"
    if not before or before[-1].withdrawn:
        return "became known"
    return differences(
        {"time": format_instant(before[-1].end), **before[-1].attributes},
        {"time": format_instant(now[-1].end), **now[-1].attributes},
    )


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """Each attribute that is another one: `mag 4.1 → 3.9`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return ", ".join(f"{name} {before.get(name)} → {after.get(name)}" for name in names) or "is made of others"


def _similar(root: Node, definition: Definition | None, records: Records) -> tuple[Node, ...]:
    """Events of the classes that a SELECT looks at with the values of its key: what its rows may have come from."""
    version = root.version
    if definition is None or version is None:
        return ()
    key = {name: version.attributes[name] for name in definition.key if name in version.attributes}
    found: list[Node] = []
    for name in sorted(definition.uses):
        keys = records.alike(name, key)
        known = records.versions([Part(*one) for one in keys])
        for one in keys:
            believed = [v for v in known.get(one, ()) if _up_to(v, version.detected)]
            if believed and not believed[-1].withdrawn:
                found.append(_node(one, known[one], believed[-1], records))
    return tuple(sorted(found, key=lambda node: node.version.end if node.version else 0))
