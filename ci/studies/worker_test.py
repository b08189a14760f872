"""A worker that answers, and those that do not."""

import time

import pytest

from ci.studies.in_turns import Missing
from ci.studies.worker import Worker

ANSWERS = """
while read line; do
  case $line in
    *hello*) echo '{"reply":"hello","protocol":1}' ;;
    *list*) echo '{"reply":"error","message":"there is none","advice":"","exit_code":64}' ;;
    *devices*) echo 'no JSON' ;;
    *bye*) exit 3 ;;
  esac
done
"""


@pytest.fixture
def worker():
    with Worker(["sh", "-c", ANSWERS]) as started:
        yield started


def test_an_answer_comes_back(worker):
    assert worker.ask("hello", protocol=1) == {"reply": "hello", "protocol": 1}


@pytest.mark.parametrize(
    ("request_", "limit_s", "said"),
    [
        ("list", 60, "sh answered list: there is none"),
        ("devices", 60, "sh did not answer devices: Expecting value"),
        ("bye", 60, "sh did not answer bye: it has ended"),
        ("finish", 0.2, "sh did not answer finish: its time was over"),
    ],
)
def test_what_is_no_answer_is_told(worker, request_, limit_s, said):
    worker.ask("hello")
    with pytest.raises(Missing, match=said):
        worker.ask(request_, limit_s)


def test_one_that_stands_still_goes_on_where_it_was(worker):
    worker.stand_still()
    worker.stand_still()
    began = time.monotonic()
    with pytest.raises(Missing, match="its time was over"):
        worker.ask("hello", limit_s=0.2)
    assert time.monotonic() - began >= 0.2
    worker.go_on()
    assert worker.line(time.monotonic() + 60) == b'{"reply":"hello","protocol":1}'


def test_a_program_that_is_not_there_is_missing():
    with pytest.raises(Missing, match="^/no/such: No such file"):
        Worker(["/no/such"])
