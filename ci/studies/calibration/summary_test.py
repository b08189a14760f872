"""Rates, power, coverage and rivals of made-up gates whose answers are known, and the tables of
them."""

import json

import pytest

from ci.studies.calibration.examples import CASES, gate, one, study, tails
from ci.studies.calibration.journal import Journal
from ci.studies.calibration.profiles import GPU_PROFILES, PROFILES
from ci.studies.calibration.shares import rate, smallest_found
from ci.studies.calibration.study import ROOT, finite, place
from ci.studies.calibration.summary import summarise
from ci.studies.calibration.table import better_rivals, markdown
from ci.studies.publish import PublishError, markers, publish

BEGIN, END = markers("calibration")
PASSED = ("pass", "pass")
FOUND = ("regression", "regression")


def journal() -> Journal:
    """Four A/A gates with one false alarm; 5% found always, 2% by half; a speed-up found; one
    crash."""
    gates = [gate("quiet", 0, PASSED, seed=seed) for seed in range(3)]
    gates.append(gate("quiet", 0, ("improvement", "undecided"), seed=3))
    gates.append(gate("busy", 0, ("crashed", "pass")))
    gates += [gate("power", 5, FOUND, seed=seed) for seed in range(4)]
    gates += [gate("power", 2, ("pass", "regression"), seed=seed) for seed in range(4)]
    gates += [gate("power", -5, ("improvement", "regression"), seed=seed) for seed in range(4)]
    return Journal(study(), gates, ["line 9: garbage"])


def test_false_alarms_are_counted_by_suite_and_by_case():
    quiet, busy = summarise(journal())["aa"]
    assert (
        quiet["part"],
        quiet["suites_with_alarm"]["count"],
        quiet["suites_with_alarm"]["of"],
    ) == ("quiet", 1, 4)
    assert (quiet["cases_with_alarm"]["count"], quiet["slow_side"]["count"]) == (1, 0)
    assert quiet["pass"]["share"] == pytest.approx(6 / 8)
    assert quiet["undecided"]["share"] == pytest.approx(1 / 8)
    assert quiet["suites_with_alarm"]["high"] == pytest.approx(0.8058795, abs=1e-6)  # of 1 of 4
    assert (busy["not_measured"], busy["pass"]["of"], busy["cases_with_alarm"]["of"]) == (
        {"crashed": 1},
        2,
        1,
    )


def test_power_counts_the_right_direction_alone():
    (by_delta,) = summarise(journal())["by_delta"]
    power = by_delta["power"]
    assert power["5"]["all"]["found"]["share"] == 1
    assert power["2"]["by_kind"]["memory"]["found"]["share"] == 1
    assert power["2"]["by_kind"]["compute"]["found"]["share"] == 0
    assert power["-5"]["by_kind"]["memory"]["wrong_direction"]["count"] == 4
    assert power["-5"]["by_kind"]["compute"]["found"]["share"] == 1
    assert by_delta["ours"]["smallest"] == {"all": 5.0, "compute": 5.0, "memory": 2.0}


def test_a_tail_is_found_and_told_apart():
    gates = [gate("power", 5, ("tail", "regression")), gate("power", 5, ("tail", "pass"), seed=1)]
    (by_delta,) = summarise(Journal(study(), gates))["by_delta"]
    found = by_delta["power"]["5"]["all"]
    assert (found["found"], found["tails"]) == (rate(3, 4), rate(2, 4))


def test_what_a_gate_left_out_was_not_found():
    gates = [
        gate("power", 5, FOUND),
        gate("power", 5, ("not_measured", "regression"), seed=1),
        gate("power", 5, ("invalid_environment", "regression"), seed=2),
    ]
    (by_delta,) = summarise(Journal(study(), gates))["by_delta"]
    power = by_delta["power"]["5"]
    assert power["all"]["found"] == by_delta["ours"]["found"]["5"] == rate(4, 6)
    assert power["by_kind"]["compute"]["found"] == rate(1, 3)
    assert power["work_was_done"] == rate(4, 4)
    assert power["all"]["mean_rounds"] == 8
    gates = [
        tails(SLOW_SAMPLES, ("tail", "regression")),
        tails(SLOW_SAMPLES, ("not_measured", "tail"), seed=1),
    ]
    (samples,) = summarise(Journal(study(), gates))["tails"]
    assert (samples["found"], samples["within_40"]) == (rate(3, 4), rate(3, 4))
    assert samples["by_kind"]["compute"]["found"] == rate(1, 2)


def test_extra_work_that_was_not_counted_is_noticed():
    wrong = journal()
    wrong.gates[5]["cases"][0]["work_ratio"] = 1.0
    del wrong.gates[6]["cases"][1]["work_ratio"]
    (by_delta,) = summarise(wrong)["by_delta"]
    assert by_delta["power"]["5"]["work_was_done"]["count"] == 6
    assert "counted it to within 0.01% in 22 of 24 trials" in markdown(finite(summarise(wrong)))


def test_rivals_see_the_same_samples():
    (by_delta,) = summarise(journal())["by_delta"]
    rivals = {rival["rule"]: rival for rival in by_delta["rivals"]}
    legacy = rivals["legacy-pooled"]
    assert legacy["as_shipped"]["found"]["5"] == rate(8, 8)
    assert legacy["as_shipped"]["smallest"]["all"] == 2.0
    # One of our four suites has an alarm: of the four joined ones of 8 rounds, one of the rival's
    # may have one.
    assert (legacy["same_rounds"]["rounds"], legacy["same_rounds"]["suites"]) == (8, 4)
    assert legacy["same_rounds"]["found"] == legacy["first_rounds"]["found"]
    assert rivals["legacy-process"]["same_rounds"]["suites"] == 32
    assert (
        "nvbench_compare legacy, all processes (equal rate, same rounds) on compute: 2% against 5%"
    ) in better_rivals(by_delta)


def test_the_tables_say_whose_levels_the_gates_had():
    text = markdown(finite(summarise(journal())))
    assert "alpha/N was 0.500% per case, as it is in a suite of 2 cases at an alpha of 1%" in text
    assert "alpha/N was 0.010% per case, as it is in a suite of 100 cases at an alpha of 1%" in text


def test_a_rule_without_enough_unchanged_rounds_is_not_called_beaten():
    short = Journal(study(), [gate("quiet", 0, PASSED), gate("power", 5, FOUND)])
    for case in short.gates[1]["cases"]:
        case["baseline"], case["candidate"] = 2 * case["baseline"], 2 * case["candidate"]
    text = markdown(finite(summarise(short)))
    assert (
        "Too few A/A rounds for a threshold at equal rate, same rounds: compare.py: U test "
        "5%, 10 rep"
    ) in text
    assert "Too few A/A rounds for a threshold at equal rate, first 8 rounds" not in text


def test_coverage_knows_both_truths():
    off = journal()
    for each in off.gates:
        if each["extra"] == 5:  # the interval misses the work, and holds what was measured
            for case in each["cases"]:
                case["ratio_low"], case["ratio_high"] = 1.049, 1.0495
                case["candidate"] = [[1.0492 * x for x in samples] for samples in case["baseline"]]
    covered = summarise(off)["coverage"]
    assert covered["all"]["work"]["of"] == covered["all"]["time"]["of"] == 32
    assert covered["all"]["work"]["count"] == 24
    assert covered["all"]["time"]["count"] == 32


def test_overhead_is_what_is_neither_sampling_nor_warming_up():
    overhead = summarise(journal())["overhead"]
    assert overhead["timed"] == pytest.approx(0.7)
    assert overhead["not_sampling_or_warming_up"] == pytest.approx(0.2)


def test_rounds_are_those_that_were_measured():
    longer = journal()
    for each in longer.gates:
        for case in each["cases"]:  # a decision stands on the pairs of an older look
            case["pairs"] = 6
    summary = summarise(longer)
    assert summary["aa"][0]["mean_rounds"] == summary["aa"][0]["most_rounds"] == 8
    assert summary["by_delta"][0]["power"]["5"]["all"]["mean_rounds"] == 8
    assert "| 8.0, 8 |" in markdown(finite(summary))


SLOW_SAMPLES, SLOW_PROCESSES = "--slow-samples 0.05:2", "--slow-processes 0.3:10"


def of_tails() -> Journal:
    gates = [
        tails(SLOW_SAMPLES, ("tail", "regression"), rounds=40),
        tails(SLOW_SAMPLES, ("tail", "pass"), rounds=41, seed=1),
        tails(SLOW_PROCESSES, ("undecided", "tail"), rounds=60),
        tails("", ("pass", "pass"), rounds=8),
        tails("", ("tail", "pass"), rounds=30, seed=1),
    ]
    return Journal(study(), gates)


def test_tails_are_told_by_what_was_planted():
    nothing, processes, samples = summarise(of_tails())["tails"]
    assert [nothing["plant"], processes["plant"]] == ["", SLOW_PROCESSES]
    assert (samples["found"], samples["tails"]) == (rate(3, 4), rate(2, 4))
    assert samples["within_40"] == rate(2, 4)
    assert samples["by_kind"]["compute"]["found"] == rate(2, 2)
    assert samples["by_kind"]["memory"]["found"] == rate(1, 2)
    assert samples["mean_rounds"] == 40.5
    assert (samples["samples"], samples["slow_executions"]) == (20, pytest.approx(0.051))
    assert (processes["slow_processes"], processes["slow_executions"]) == (
        pytest.approx(0.31),
        None,
    )
    assert processes["undecided"] == rate(1, 2)
    assert nothing["suites_with_alarm"] == rate(1, 2)


def test_tails_have_a_table_and_spoil_no_other():
    journal_of_tails = of_tails()
    journal_of_tails.study["settings"]["suspects"] = 25
    text = markdown(finite(summarise(journal_of_tails)))
    assert "**Slow samples and slow processes, delta 3%.**" in text
    assert "the levels of one of 25 in a suite at an alpha of 1%" in text
    assert "a process has 20 samples (medians)" in text
    assert "With nothing planted, 1 of 2 [1.3%, 98.7%] suites had an alarm." in text
    assert "| 5% of samples x2 | 3 of 4 [19.4%, 99.4%] |" in text
    assert "A/A: the same code" not in text
    both = Journal(study(), [*journal().gates, *of_tails().gates])
    alone = summarise(journal())
    for name in ("aa", "by_delta", "coverage"):
        assert summarise(both)[name] == alone[name], name


def test_the_one_case_with_extra_work_is_told_from_the_others():
    gates = [
        one(0, ("regression", "pass")),
        one(1, ("regression", "tail"), seed=1),
        one(0, ("pass", "pass"), seed=2),
        one(1, ("undecided", "undecided"), seed=3),
    ]
    summary = summarise(Journal(study(), gates))
    (row,) = summary["one"]
    assert (row["found"], row["pass"], row["undecided"]) == (rate(2, 4), rate(1, 4), rate(1, 4))
    assert row["others_with_alarm"] == rate(1, 4)  # of the second gate
    assert row["others_pass"] == rate(2, 4)
    assert row["by_kind"]["memory"]["found"] == rate(1, 2)
    text = markdown(finite(summary))
    assert "**Extra work in one case, delta 3%.** One of the 2 cases does it" in text
    assert "with a budget of 5 s" in text
    assert "| +5% | 2 of 4 [6.8%, 93.2%] | 25% | 25% |" in text


def test_the_smallest_found_is_followed_by_found_ones_only():
    def found(**shares):
        return {float(key[1:]): {"share": share} for key, share in shares.items()}

    assert smallest_found(found(_1=0.9, _2=0.5, _3=0.8, _5=1.0)) == 3
    assert smallest_found(found(_3=1.0, _10=0.79)) is None
    assert smallest_found({-5.0: {"share": 1.0}}) is None
    assert smallest_found({5.0: rate(0, 0)}) is None


def test_nothing_is_no_summary():
    with pytest.raises(ValueError, match="nothing was measured"):
        summarise(Journal())
    with pytest.raises(ValueError, match="nothing was measured"):
        summarise(Journal(study()))


def test_the_tables_show_everything_losses_too():
    summary = finite(summarise(journal()))
    text = markdown(json.loads(json.dumps(summary, allow_nan=False)))
    assert "1 of 4 [0.6%, 80.6%]" in text
    assert "Synthetic CPU, 2 cores" in text
    assert "found less extra work than this gate: " in text
    assert "unverified until they are measured" in text
    assert "Left out: 1 lines" in text
    for row in text.splitlines():
        if row.startswith("| "):
            assert row.endswith(" |")


def test_tables_of_a_gpu_say_which():
    of_gpu = journal()
    of_gpu.study["settings"]["device_kind"] = "cuda"
    of_gpu.study["machine"] |= {"gpu": "Synthetic GPU", "sms": "4", "driver": "1.2"}
    for each in of_gpu.gates:
        each["delta"] = 0.005
    summary = finite(summarise(of_gpu))
    assert summary["device_kind"] == "cuda"
    assert set(summary["by_delta"][0]["rivals"][1]["first_rounds"]["thresholds"]) == {"8"}
    text = markdown(summary)
    assert "on: Synthetic GPU (4 SMs, driver 1.2), Synthetic CPU, 2 cores" in text
    assert "delta 0.5%" in text
    assert "equal rate, first 8 rounds" in text
    assert "figures here are of this one GPU" in text
    assert "of a CPU" not in text


def test_a_study_of_one_part_has_tables(tmp_path):
    only = Journal(study(), [gate("quiet", 0, PASSED)])
    assert "0 of 1" in markdown(finite(summarise(only)))
    only = Journal(study(), [gate("power", 5, FOUND)])
    assert "+5%" in markdown(finite(summarise(only)))


def test_publishing_replaces_what_is_between_the_markers(tmp_path):
    document = tmp_path / "page.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    publish(document, "new\n", "calibration")
    publish(document, "newer\n", "calibration")
    assert document.read_text() == f"before\n{BEGIN}\n\nnewer\n\n{END}\nafter\n"


def test_each_kind_of_device_has_tables_of_its_own(tmp_path):
    document = tmp_path / "page.md"
    begin, end = markers("calibration cuda")
    document.write_text(f"{BEGIN}\nof a CPU\n{END}\n{begin}\nold\n{end}\n")
    publish(document, "of a GPU\n", "calibration cuda")
    assert document.read_text() == f"{BEGIN}\nof a CPU\n{END}\n{begin}\n\nof a GPU\n\n{end}\n"
    document.write_text(f"{BEGIN}\n{END}\n")
    with pytest.raises(PublishError, match="calibration cuda begin"):
        publish(document, "of a GPU", "calibration cuda")


def test_studies_of_other_questions_have_tables_of_their_own():
    assert place("cpu", "full") == place("cpu", "long") == "calibration"
    assert place("cuda", "full") == place("cuda", "short") == "calibration cuda"
    assert place("cuda", "ten") == "calibration cuda ten"
    text = (ROOT / "docs" / "error-rates.md").read_text()
    for kind, of_kind in (("cpu", PROFILES), ("cuda", GPU_PROFILES)):
        for name in of_kind:
            assert all(text.count(marker) == 1 for marker in markers(place(kind, name)))


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_publishing_wants_one_pair_of_markers(tmp_path, text):
    document = tmp_path / "page.md"
    document.write_text(text)
    with pytest.raises(PublishError, match="needs one line"):
        publish(document, "new", "calibration")
    assert document.read_text() == text
    with pytest.raises(PublishError, match="cannot be read"):
        publish(tmp_path / "missing.md", "new", "calibration")


def test_cases_are_the_suites_of_the_examples():
    assert [case["case"] for case in gate("quiet", 0, PASSED)["cases"]] == list(CASES)
