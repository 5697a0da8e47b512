"""Invoice lines of a web shop (Online Retail II); an invoice that begins with C cancels what was bought before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from ensue.demo.lists.records import Record, Row

COLUMNS = ("Invoice", "StockCode", "Quantity", "InvoiceDate", "Price", "Customer ID")


def announcements(rows: Iterable[Row]) -> Iterator[Record]:
    """An order for each invoice with what it is worth, and each of its lines; cancelling makes an order smaller.

    The list does not say which order a line cancels: it is taken to be the customer's last one with that item. Lines
    without a customer, and lines worth nothing, are left out.
    """
    worth: dict[str, float] = {}
    placed: dict[str, Record] = {}
    bought: dict[tuple[str, str], tuple[str, float]] = {}
    usable = (row for row in rows if row["Customer ID"] and float(row["Price"] or 0) > 0)
    for invoice, lines in groupby(usable, key=lambda row: row["Invoice"]):
        items = _items(lines)
        if not items:
            continue
        time, customer = items[0]["time"], items[0]["customer"]
        if not invoice.startswith("C"):
            worth[invoice] = sum(item["amount"] for item in items)
            placed[invoice] = {"type": "Order", "time": time, "invoice": invoice, "customer": customer}
            yield _order(placed[invoice], "announce", time, worth[invoice])
            for item in items:
                bought[customer, item["item"]] = (invoice, item["amount"])
                yield {"type": "Bought", "op": "announce", "detected": time, "invoice": invoice, **item}
            continue
        touched = set()
        for item in items:
            yield {"type": "Cancelled", "op": "announce", "detected": time, "invoice": invoice, **item}
            order, paid = bought.pop((customer, item["item"]), (None, 0.0))
            if order is not None:
                worth[order] -= min(paid, item["amount"])
                touched.add(order)
        for order in sorted(touched):
            left = worth[order]
            yield _order(placed[order], "change" if left >= 0.01 else "retract", time, left)


def _items(lines: Iterable[Row]) -> list[Record]:
    """The lines of an invoice; several of one item are one."""
    found: dict[str, dict[str, Any]] = {}
    for row in lines:
        when = datetime.fromisoformat(row["InvoiceDate"]).replace(tzinfo=UTC)
        item = found.setdefault(
            row["StockCode"],
            {
                "time": round(when.timestamp() * 1000),
                "customer": row["Customer ID"].removesuffix(".0"),
                "item": row["StockCode"],
                "amount": 0.0,
            },
        )
        item["amount"] = round(item["amount"] + abs(float(row["Quantity"]) * float(row["Price"])), 2)
    return [item for item in found.values() if item["amount"]]


def _order(order: Record, operation: str, detected: int, amount: float) -> Record:
    return {**order, "op": operation, "detected": detected, "amount": round(amount, 2)}
