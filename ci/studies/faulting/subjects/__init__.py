"""The commands that are disturbed, each with what it may leave."""

from ci.studies.faulting.subjects.gate import GateSubject
from ci.studies.faulting.subjects.merge import MergeSubject
from ci.studies.faulting.subjects.nightly import NightlySubject
from ci.studies.faulting.subjects.prune import PruneSubject
from ci.studies.faulting.subjects.report import ReportSubject
from ci.studies.faulting.subjects.run import RunSubject

SUBJECTS = {
    kind.name: kind
    for kind in (
        *(RunSubject, GateSubject, MergeSubject, PruneSubject),
        *(ReportSubject, NightlySubject),
    )
}
