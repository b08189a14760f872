"""Which set of buffers each execution of a sample takes."""

import secrets

MOST_EXECUTIONS = 10_000


class Order:
    """Every sample executes equally often: cold, a multiple or a divisor of the number of sets, so
    that each set waits for all others; hot, one set, and the next sample another."""

    def __init__(self, sets: int, hot: bool, single: bool, once_each: bool):
        """`once_each`: a set must not come twice in a sample, because caches are evicted before it
        alone."""
        self._sets, self._hot, self._single, self._once = sets, hot, single, once_each
        self.executions, self._next = 1, 0

    def set_executions(self, wanted: int) -> None:
        """Of a sample at least `wanted`, as few more as the rule allows."""
        wanted = max(1, min(wanted, MOST_EXECUTIONS))
        if self._single:
            wanted = 1
        elif self._once:
            wanted = min(wanted, self._sets)
        elif not self._hot and wanted >= self._sets:
            wanted = -(-wanted // self._sets) * self._sets
        elif not self._hot:
            while self._sets % wanted:
                wanted += 1
        self.executions = wanted

    def at_most(self) -> bool:
        """Whether a sample cannot have more executions."""
        most = 1 if self._single else self._sets if self._once else MOST_EXECUTIONS
        return self.executions >= most

    def take(self) -> list[int]:
        """The sets of the next sample, in order."""
        if self._hot:
            taken = [self._next] * self.executions
            self._next = (self._next + 1) % self._sets
        else:
            taken = [(self._next + i) % self._sets for i in range(self.executions)]
            self._next = (self._next + self.executions) % self._sets
        return taken

    def mark(self) -> int:
        """The execution of a sample whose output is kept: the last one, or any. Nobody can tell
        which before."""
        if secrets.randbelow(2):
            return self.executions - 1
        return secrets.randbelow(self.executions)
