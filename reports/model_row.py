"""What rows of the report document are made of."""

from __future__ import annotations

import sys
from typing import Annotated

from msgspec import Meta, Struct

Facts = dict[str, str]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Seed = Annotated[int, Meta(ge=0)]  # up to 2**64 - 1, more than a bound of Meta can be
Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Amount = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
Positive = Annotated[float, Meta(gt=0, le=sys.float_info.max)]


class Row(Struct, frozen=True):
    """An object of the document; keys that it does not name are ignored. A ValueError of its
    __post_init__ becomes an error of the document, with the place of the object."""
