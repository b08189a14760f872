"""What preflight says of a machine."""

from dataclasses import asdict, dataclass, field

from reports.console import printable

UNFIT = "unfit"  # times measured now would not be those of the kernels alone
NOTE = "note"  # worth knowing; times can still be trusted
UNKNOWN = "unknown"  # could not be looked at, so nothing is promised of it

MARKS = {UNFIT: "UNFIT", NOTE: "note", UNKNOWN: "unknown"}


@dataclass(frozen=True)
class Finding:
    check: str
    level: str
    seen: str
    why: str  # it matters
    do: str

    def text(self) -> str:
        return (
            f"{MARKS[self.level]:8}{self.check}: {printable(self.seen)}\n"
            f"        why: {printable(self.why)}\n"
            f"        do:  {printable(self.do)}"
        )


@dataclass
class Preflight:
    """Of one device: everything that was looked at as plain text by name, and what stood out, the
    worst first."""

    device: str
    looked_at: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, check: str, level: str, seen: str, why: str, do: str) -> None:
        self.findings.append(Finding(check, level, seen, why, do))
        self.findings.sort(key=lambda finding: (UNFIT, UNKNOWN, NOTE).index(finding.level))

    @property
    def fit(self) -> bool:
        return all(finding.level != UNFIT for finding in self.findings)

    def headline(self) -> str:
        counts = [
            sum(finding.level == level for finding in self.findings)
            for level in (UNFIT, UNKNOWN, NOTE)
        ]
        names = [f"{counts[0]} against it", f"{counts[1]} unknown", f"{counts[2]} to note"]
        said = ", ".join(name for count, name in zip(counts, names, strict=True) if count)
        headline = f"{printable(self.device)} is {'fit' if self.fit else 'not fit'} to measure"
        return f"{headline}: {said}" if said else headline

    def text(self) -> str:
        return "\n".join([self.headline(), *(finding.text() for finding in self.findings)])

    def looked_at_text(self) -> str:
        return "; ".join(f"{name} {printable(value)}" for name, value in self.looked_at.items())

    def to_json(self) -> dict:
        findings = [asdict(finding) for finding in self.findings]
        return {
            "device": self.device,
            "fit": self.fit,
            "findings": findings,
            "looked_at": self.looked_at,
        }
