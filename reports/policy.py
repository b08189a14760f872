"""What a page may load and do (Content Security Policy): its own style sheet and script, known by
their hashes, and images. Whatever else stands in a page does nothing."""

from __future__ import annotations

import base64
import hashlib


def digest(text: str) -> str:
    """As a policy names the content of an element."""
    made = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"sha256-{made}"


def policy(style: str, script: str) -> str:
    """Of a page with these two texts; without a script, none runs."""
    allowed = {
        "default-src": "'none'",
        "script-src": f"'{digest(script)}'" if script else "'none'",
        "style-src": f"'{digest(style)}'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{what} {whom}" for what, whom in allowed.items())
