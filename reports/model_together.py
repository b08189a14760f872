"""What several cases of a run say together, or several runs: pairs of GPUs, and collectives beside
work."""

from __future__ import annotations

from reports.model_row import Amount, Facts, Number, Positive, Row


class PeerPair(Row):
    """What `gpu` copies with `peer`, in B/s, of the `roof` that the links between them carry.
    `slower`: than the other pairs, beyond noise."""

    gpu: str
    peer: str
    rate: Positive
    unstable: bool
    roof: Positive = None
    slower: bool = False


class PeerMatrix(Row):
    """Pairs that have made the same copy, of `bytes` in one direction, by the same variant."""

    variant: str
    direction: str
    bytes: Amount
    pairs: tuple[PeerPair, ...]


class PeerPairs(Row):
    """Of the GPUs of a host, by their ids; those without a run have no pairs of their own."""

    gpus: tuple[str, ...]
    runs: tuple[str, ...]
    matrices: tuple[PeerMatrix, ...]


class Interval(Row):
    low: Number
    high: Number


class Estimate(Row):
    """`interval` is of 95%, None with fewer than three processes."""

    value: Number
    interval: Interval = None


class TimedPart(Row):
    """`ns` is None where it has no time."""

    outcome: str
    ns: Positive = None


class Beside(Row):
    """A collective of `bytes` beside work: what each takes beside the other over what it takes
    alone, and the share of the shorter one that is hidden. None where a time is missing. `fields`
    are those of its problem and options."""

    variant: str
    dtype: str
    bytes: Positive
    fields: Facts
    work_alone: TimedPart
    collective_alone: TimedPart
    work: TimedPart
    collective: TimedPart
    both: TimedPart
    work_slow_down: Estimate = None
    collective_slow_down: Estimate = None
    hidden_share: Estimate = None
