"""The logs of databases as power failures leave them: less than was written, or zeros or noise in
place of it. https://www.sqlite.org/fileformat2.html#the_write_ahead_log"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

HEADER, FRAME_HEADER = 32, 24  # bytes
_INDEX_HEADERS = 96  # bytes of a log's index in front of what its checkpoints have done


def page_size(log: bytes) -> int:
    return struct.unpack(">I", log[8:12])[0]


def boundaries(log: bytes, after_frame: int = 0) -> list[int]:
    """Ends of the frames, as bytes of the log, from that of frame `after_frame` on; 0 is the end
    of the header."""
    if len(log) < HEADER:
        return []
    frame = FRAME_HEADER + page_size(log)
    return list(range(HEADER + after_frame * frame, len(log) + 1, frame))


def moved_frames(index: bytes) -> int:
    """How many frames may have been moved into the database already. The log is on the disk up to
    there, so that no power failure takes those."""
    if len(index) < _INDEX_HEADERS + 36:
        return 0
    done = struct.unpack_from("=I", index, _INDEX_HEADERS)[0]
    begun = struct.unpack_from("=I", index, _INDEX_HEADERS + 32)[0]
    return max(done, begun)


def cut_logs(
    log: bytes, moved: int, chance: random.Random, most: int
) -> Iterator[tuple[int, bytes]]:
    """At most about `most` logs, in the order of how many bytes are as they were written, with
    that number. At every boundary where there are few enough, and somewhere in frames."""
    ends = boundaries(log, moved)
    if not ends:
        return
    first, room = ends[0], max(1, most // 2)
    at = set(ends if len(ends) <= room else chance.sample(ends, room))
    at |= {chance.randint(first, len(log)) for _ in range(most - room)}
    if moved == 0:
        at |= {0, chance.randrange(HEADER)}
    for end in sorted(at):
        rest = len(log) - end
        yield end, log[:end] + (b"", bytes(rest), chance.randbytes(rest))[chance.randrange(3)]
