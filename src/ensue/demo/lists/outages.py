"""Changes to a power company's list of outages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ensue.demo.lists.records import OPERATIONS, Record, Row

COLUMNS = (
    "tx_time",
    "op",
    "outageNumber",
    "outageStartTime",
    "crewCurrentStatus",
    "currentEtor",
    "cause",
    "estCustAffected",
    "lastUpdateTime",
    "regionName",
)
_ON_SITE = ("repair crew is on-site", "assessing the cause at the outage location")
"""What the status says when somebody is there; a crew that is assigned, sent or en route is not."""


def announcements(rows: Iterable[Row]) -> Iterator[Record]:
    """Each change is an announcement of an outage; a new estimate, or a crew on site, is an event of its own besides.

    These two occur when the company last updated the outage, which is some minutes before the list shows it.
    """
    estimates: dict[str, str] = {}
    on_site: set[str] = set()
    for row in rows:
        number, detected = row["outageNumber"], int(row["tx_time"]) * 1000
        yield {
            "type": "Outage",
            "op": OPERATIONS[row["op"]],
            "time": int(row["outageStartTime"]) * 1000,
            "detected": detected,
            "nr": int(number),
            "region": row["regionName"],
            "customers": int(row["estCustAffected"] or 0),
            "cause": row["cause"],
        }
        if row["op"] == "delete" or not row["lastUpdateTime"]:
            continue
        updated = {"op": "announce", "time": int(row["lastUpdateTime"]) * 1000, "detected": detected}
        estimate = row["currentEtor"]
        if estimate and estimates.get(number) != estimate:
            estimates[number] = estimate
            yield {"type": "Estimate", **updated, "nr": int(number), "restored": int(estimate) * 1000}
        if number not in on_site and any(words in row["crewCurrentStatus"] for words in _ON_SITE):
            on_site.add(number)
            yield {"type": "OnSite", **updated, "nr": int(number)}
