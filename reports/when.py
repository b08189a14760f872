"""Points in time as pages show them."""

from __future__ import annotations


def second(timestamp: str) -> str:
    """ "2026-11-20T12:45:01Z" as "2026-11-20 12:45:01 UTC"; anything else as it is."""
    return (
        timestamp.replace("T", " ", 1).replace("Z", " UTC")
        if timestamp.endswith("Z")
        else timestamp
    )


def minute(timestamp: str) -> str:
    """ "2026-11-20T12:45:01Z" as "2026-11-20 12:45"; anything else as it is."""
    is_point = len(timestamp) == len("2026-11-20T12:45:01Z") and timestamp.endswith("Z")
    return timestamp[:16].replace("T", " ") if is_point else timestamp
