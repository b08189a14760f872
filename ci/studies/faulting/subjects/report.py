"""`ridgeline report`, in the place of an older page."""

from __future__ import annotations

import re

from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place
from ci.studies.faulting.stored import Stored
from ci.studies.faulting.subjects.run import STEADY
from ci.studies.faulting.subjects.subject import Subject, Unfit

_FILE = re.compile(r'(?:src|href)="([\w.][^":#]*)[#"]')  # of the report, relative to the page


class ReportSubject(Subject):
    name = "report"
    rivals = ("main", "group", "worker", "guard")

    def make_template(self, place: Place) -> None:
        profile = place.profile(*STEADY, processes=3)
        place.call(place.run_command(profile))
        done = place.ask("report")
        if done.code:
            raise Unfit(f"no report can be drawn: {done.last_words()}")
        self.old = (place.results / "report" / "index.html").read_text()
        place.call(place.run_command(profile))

    def command(self, place: Place) -> list[str]:
        return place.command("report")

    def judge(self, place: Place, now: Stored, done: Done, outcome: Outcome) -> None:
        outcome.reported += self.before.measurements
        if now != self.before:
            outcome.find("wrong", "a report has changed the results")
        page = place.results / "report" / "index.html"
        if page.exists() and page.read_text(errors="replace") != self.old:
            outcome.find_all("wrong", self._half(place))

    def _half(self, place: Place) -> list[str]:
        """What a new page must have and has not."""
        report = place.results / "report"
        newest = list(self.before.runs)[-1]
        found = []
        if newest not in (report / "index.html").read_text(errors="replace"):
            found.append("the page is neither the old one nor of the newest run")
        for page in sorted(report.rglob("*.html")):
            name = page.relative_to(report)
            text = page.read_text(errors="replace")
            if not text.rstrip().endswith("</html>"):
                found.append(f"{name} ends in the middle")
            found += [
                f"{name} leads to {file}, which is not there"
                for file in sorted(set(_FILE.findall(text)))
                if not (page.parent / file).is_file()
            ]
        return found

    def whole_again(self, place: Place, now: Stored) -> list[str]:
        page = place.results / "report" / "index.html"
        return self._half(place) if page.is_file() else ["there is no page"]
