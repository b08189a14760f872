"""Times on the command lines of studies."""

import argparse
import re


def duration(text: str) -> float:
    """Seconds of "90s", "45m", "1h30m"."""
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    parts = match.groups() if match else ()
    seconds = sum(int(part or 0) * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90s, 45m or 1h30m")
    return float(seconds)
