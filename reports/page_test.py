from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reports import __main__ as program
from reports import load, page, render, script, synthetic, write

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}{% raw "
    "%}</pre></style>\u202e"
)
VOID = {"meta", "img", "br", "link", "wbr"}


class Page(HTMLParser):
    """The elements of a page, their attributes and its text; fails when elements do not close in
    order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.inside: dict[str, list[str]] = {"script": [], "style": []}  # what is no text
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in self.inside:
            self.inside[tag].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]][-1] += data
        else:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [one["id"] or "" for _, one in self.elements if "id" in one]

    @property
    def links(self) -> list[str]:
        return [link["href"] or "" for link in self.all("a")]

    def data(self, id: str) -> Any:
        """What the page holds for the element with this id."""
        blocks = zip(self.all("script"), self.inside["script"], strict=True)
        (found,) = [text for one, text in blocks if one.get("data-for") == id]
        return json.loads(found)

    def expect_still(self) -> None:
        """That nothing acts but a script of ours with all that the page needs, and nothing is
        styled but by the sheet."""
        needed = {one["data-chart"] for one in self.all("div") if "data-chart" in one}
        needed |= {"tables" for one in self.all("table") if one.get("class") == "worked"}
        known = (frozenset[str](), *page.SCRIPTED.values())
        scripts = [script.text(parts) for parts in known if needed <= parts]
        for attributes, text in zip(self.all("script"), self.inside["script"], strict=True):
            if attributes.get("type") == "application/json":
                json.loads(text)
            else:
                assert attributes == {} and text in scripts
        assert self.inside["style"] in ([], [page.style()])
        assert all(
            (image["src"] or "").startswith("data:image/svg+xml;base64,")
            for image in self.all("img")
        )
        keys = [key for _, attributes in self.elements for key in attributes]
        assert not [key for key in keys if key.startswith("on") or key == "style"]
        assert not {"iframe", "object", "embed", "base", "form"} & {tag for tag, _ in self.elements}
        assert not [link for link in self.links if ":" in link and not link.startswith("https://")]

    def expect_text_only(self) -> None:
        """That HOSTILE is shown as text, and nothing acts."""
        self.expect_still()
        assert "<script>alert(1)</script>" in self.text
        assert "{{ 7*7 }}" in self.text
        assert "\u202e" not in self.text


def pages_of(folder: Path) -> dict[str, Page]:
    """By their addresses in the report's folder."""
    return {
        file.relative_to(folder).as_posix(): Page(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.html"))
    }


def written(
    folder: Path, document: synthetic.Json, formats: Sequence[str] = render.FORMATS
) -> dict[str, Page]:
    write.write(load.parse(document), folder, formats)
    return pages_of(folder)


def quickly_written(folder: Path, document: synthetic.Json) -> dict[str, Page]:
    """With the data of figures as their only files."""
    return written(folder, document, ["csv"])


def run_page(folder: Path, made: synthetic.Json) -> Page:
    """The page of a document's only run."""
    pages = written(folder, synthetic.document(made))
    (found,) = [name for name in pages if name.startswith("run-")]
    return pages[found]


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, Path]:
    """The page of a device with every figure, and its folder."""
    folder = tmp_path_factory.mktemp("gpu")
    made = synthetic.gpu()
    made["cases"].append(
        synthetic.case("gemm/odd/f32/m=1,n=1,k=1", outcome="crashed", reason="killed by signal 11")
    )
    made["cases"].append(
        synthetic.case("gemm/fast/f32/m=1,n=1,k=1", 5.0, flops=2.0, share=1.7, roof="fma.f32")
    )
    return run_page(folder, made), folder


def small() -> synthetic.Json:
    """A device with one figure, of its roofs."""
    cases = [synthetic.case("sums/tree/f32/n=64", 5e4, bytes=256.0, processes=2)]
    made = synthetic.run("synthetic-small", "cpu", cases, [synthetic.roof("dram.read", 1e10)])
    made["builds"][0]["dirty"] = True
    made["warnings"] = ["1 of 1 measured cases has fewer than 3 processes."]
    return made


def hostile() -> synthetic.Json:
    name = HOSTILE.replace("/", "|")
    cases = [
        synthetic.case(
            f"gemm/{name}/f32/m={n},n={n},k={n}",
            5e4 * n,
            flops=2.0 * n**3,
            bytes=12.0,
            reason=HOSTILE,
        )
        for n in (64, 128)
    ]
    cases[0] = synthetic.explained(cases[0], HOSTILE, 0.9)
    found = cases[0]["explanation"]
    found["usages"][0]["words"] = [HOSTILE] * 6
    found["unknown"] = [{"words": [HOSTILE] * 2}]
    found["settle"] = [{"command": HOSTILE, "shows": HOSTILE}]
    keys = ("distance", "doubts", "device", "ladders")
    found["words"] = {"conclusion": HOSTILE} | {key: [HOSTILE] for key in keys}
    cases += [synthetic.case(f"{name}/{name}/f32/m=1", outcome="crashed", reason=HOSTILE)]
    made = synthetic.run(HOSTILE, "cpu", cases, [synthetic.roof(HOSTILE, 1e9, "B/s", HOSTILE)])
    for key in ("id", "label", "status", "profile", "profile_text", "repeat", "started"):
        made[key] = HOSTILE
    words = ("variant", "problem", "rate", "share", "roof", "over_naive", "over_naive_on")
    made["best"] = [{"suite": HOSTILE, "words": dict.fromkeys(words, HOSTILE)}]
    made["warnings"] = [HOSTILE]
    made["device"] |= {"name": HOSTILE, "recorded": {HOSTILE: HOSTILE}}
    made["builds"][0] |= {"flags": HOSTILE, "commit": HOSTILE, "worker": HOSTILE}
    return made


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    pages = written(tmp_path, synthetic.document(hostile(), hostile()))
    assert len(pages) == 3
    for one in pages.values():
        one.expect_text_only()
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))
    assert all(file.parent == tmp_path for file in tmp_path.rglob("*.html"))


def test_the_page_needs_nothing_else(gpu: tuple[Page, Path]) -> None:
    shown, folder = gpu
    links = [
        value or ""
        for _, attributes in shown.elements
        for key, value in attributes.items()
        if key in ("src", "href")
    ]
    assert links
    assert all(
        link.startswith(("data:", "#", "figures/")) or link in pages_of(folder) for link in links
    )
    images = [value or "" for image in shown.all("img") for key, value in image.items()]
    assert not [value for value in images if value.startswith("figures/")]
    assert not re.search(r"url\(|@import", page.style())


def test_figures_are_images_with_words_and_files_for_slides(gpu: tuple[Page, Path]) -> None:
    page, folder = gpu
    names = (
        "attention",
        "coalescing",
        "collectives",
        "divergence",
        "fusion",
        "gemm",
        "occupancy",
        "roofline",
        "roofs",
        "transfer",
    )
    images = page.all("img")
    assert len(images) == 10
    roofline = images[0]["alt"] or ""
    assert roofline.startswith("Roofline.")
    assert "Operational intensity" in roofline
    assert all(len(image["alt"] or "") > 60 for image in images)
    files = {file.name: file for file in (folder / "figures").iterdir()}
    assert files.keys() == {f"{name}.{one}" for name in names for one in render.FORMATS}
    assert {link for link in page.links if link.startswith("figures/")} == {
        f"figures/{name}" for name in files
    }
    for name, file in files.items():
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "csv": b""}
        assert file.read_bytes().startswith(begins[name.rpartition(".")[2]])


def test_formats_can_be_left_out(tmp_path: Path) -> None:
    document = tmp_path / "report.json"
    document.write_text(json.dumps(synthetic.document(small())))
    arguments = [str(document), "--output", str(tmp_path)]
    assert program.main([*arguments, "--formats", "csv,png"]) == 0
    made = [file.name for file in (tmp_path / "figures").iterdir()]
    assert sorted(made) == ["roofs.csv", "roofs.png"]
    assert program.main([*arguments, "--formats", ""]) == 0
    assert not list((tmp_path / "figures").iterdir())
    assert len(pages_of(tmp_path)["run-synthetic-small.html"].all("img")) == 1
    with pytest.raises(SystemExit, match="64"):
        program.main([*arguments, "--formats", "png,gif"])


def test_a_run_says_what_where_and_whether_it_is_well(tmp_path: Path) -> None:
    text = run_page(tmp_path, small()).text
    for words in (
        "synthetic-small",
        "20261120T124501Z-5f3a9c",
        "2026-11-20 12:45:01 UTC",
        "quick",
        "0123456789ab",
    ):
        assert words in text
    assert "uncommitted changes" in text
    assert "fewer than 3 processes" in text
    assert text.index("The best of each suite") < text.index("Figures") < text.index("All cases")


def test_every_case_is_listed_with_what_happened_to_it(gpu: tuple[Page, Path]) -> None:
    text = gpu[0].text
    made = synthetic.gpu()
    assert all(case["name"] in text for case in made["cases"])
    for words in (
        "1 crashed, of 363 cases",
        "1 unstable, of 363 cases",
        "above the roof: a measuring error",
    ):
        assert words in text
    assert "killed by signal 11" in text
    assert "needs 4 GiB of workspace" in text
    assert "170.0% of fma.f32" in text
    assert "git checkout 0123456789abcdef0123456789abcdef01234567" in text
    assert (
        "ci/setup cmake --preset release cmake --build --preset release "
        f"build/release/bin/{made['repeat']}"
    ) in (" ".join(text.split()))


def test_what_bounds_a_case_stands_below_its_row_with_its_evidence(
    gpu: tuple[Page, Path],
) -> None:
    def letters(text: str) -> str:
        return "".join(text.split())

    text = letters(gpu[0].text)
    rows = text[text.index("Allcases") : text.index("Howeachnumberwasobtained")]
    explained = [case for case in synthetic.gpu()["cases"] if "explanation" in case]
    assert {case["explanation"]["conclusion"] for case in explained} == {"bound", "near", "open"}
    for case in explained:
        found = case["explanation"]
        row = rows[rows.index(case["name"]) :]
        (settling,) = found["settle"]
        said = letters(settling["command"] + settling["shows"])
        row = row[: row.index(said) + len(said)]
        assert row.count("Tolearnmore") == 1, "it is the case's own"
        assert letters(found["words"]["conclusion"]) in row
        (usage,) = found["usages"]
        assert letters("".join(usage["words"])) in row
        for one in (*found["words"]["distance"], *found["words"]["ladders"]):
            assert letters(one) in row
        assert all(letters(": ".join(unknown["words"])) in row for unknown in found["unknown"])


def test_nothing_is_claimed_of_a_case_without_evidence(tmp_path: Path) -> None:
    page = run_page(tmp_path, small())
    assert not [one for one in page.all("details") if one.get("class") == "why"]
    assert "Bound by" not in page.text


def test_a_page_says_what_a_roofline_lacks(tmp_path: Path) -> None:
    """Its picture does, too, but is folded where the script draws the chart."""
    made = synthetic.gpu()
    counted = run_page(tmp_path / "counted", made)
    assert f"To count it: ridgeline run --resume {made['id']} --counters" in counted.text
    made["roofs"] = []
    page = run_page(tmp_path / "without", made)
    command = "ridgeline run --device cuda:0 --profile quick roofs attention fusion gemm"
    assert f"This run has no roofs. To measure them: {command}" in page.text
    assert "To measure them" not in run_page(tmp_path / "cpu", synthetic.cpu()).text


def test_what_was_imported_is_neither_verified_nor_repeated(tmp_path: Path) -> None:
    made = synthetic.gpu()
    claims = ("verified against an oracle", "How to repeat it", "cmake --preset", "Seed ")
    measured = run_page(tmp_path / "measured", made).text
    assert all(words in measured for words in claims)
    made |= {"imported": "nvbench", "repeat": "ridgeline import nvbench out.json", "roofs": []}
    for case in made["cases"]:
        case.pop("explanation", None)  # whose commands `ridgeline explain` leaves out
    text = run_page(tmp_path / "imported", made).text
    assert not [words for words in (*claims, "ridgeline run", "checked whole,") if words in text]
    assert "imported from its files, of the format nvbench" in " ".join(text.split())
    assert "How it was imported ridgeline import nvbench out.json" in " ".join(text.split())
    assert "This run has no roofs." in text


def test_several_devices_have_pages_and_files_of_their_own(tmp_path: Path) -> None:
    document = synthetic.document(small(), small() | {"id": "another"}, hostile())
    pages = written(tmp_path, document)
    names = [name for name in pages if name.startswith("run-")]
    (odd,) = set(names) - {"run-synthetic-small-2.html", "run-synthetic-small.html"}
    assert re.fullmatch(r"run-[\w.-]+\.html", odd)
    overview = pages["index.html"]
    in_order = ["run-synthetic-small.html", "run-synthetic-small-2.html", odd]
    assert overview.links[-3:] == in_order, "the contents, in order"
    for name in names:
        assert set(in_order) <= set(pages[name].links), "each page leads to all others"
        current = [one for one in pages[name].all("a") if "aria-current" in one]
        assert [one["href"] for one in current] == [name]
    pictures = {file.name for file in (tmp_path / "figures").glob("*.png")}
    assert {"synthetic-small-roofs.png", "synthetic-small-2-roofs.png"} < pictures
    assert len(pictures) == sum(len(pages[name].all("img")) for name in names)


def test_names_that_differ_in_the_case_of_letters_alone_have_files_of_their_own(
    tmp_path: Path,
) -> None:
    runs = (synthetic.run(model, "cpu", []) for model in ("synthetic-a", "Synthetic-A"))
    pages = written(tmp_path, synthetic.document(*runs))
    assert {"run-synthetic-a.html", "run-Synthetic-A-2.html"} < set(pages)


def test_what_an_earlier_report_wrote_is_removed_and_nothing_else(tmp_path: Path) -> None:
    written(tmp_path, synthetic.document(small(), small()))
    (tmp_path / "figures" / "notes.txt").write_text("not ours")
    (tmp_path / "cases").mkdir()
    ours = ("run-notes.html", "cases.html", "cases/07.html", "notes.html")
    for name in ours:
        (tmp_path / name).write_text("<!doctype html><title>not ours</title>")
    (tmp_path / "gate-x.html.part").write_text("<!doctype")
    pages = written(tmp_path, synthetic.document(synthetic.run("synthetic-none", "cpu", [])))
    assert set(pages) == {"index.html", "run-synthetic-none.html", *ours}
    assert [file.name for file in (tmp_path / "figures").iterdir()] == ["notes.txt"]
    assert not list(tmp_path.rglob("*.part"))


def test_figures_are_well_formed_and_the_same_every_time(tmp_path: Path) -> None:
    run = load.parse(synthetic.document(hostile())).runs[0]
    made = []
    for _ in range(2):
        pictures, _ = render.pictures(run, render.Files(tmp_path))
        files = {file.name: file.read_bytes() for file in (tmp_path / "figures").iterdir()}
        made.append((pictures, files))
    assert made[0] == made[1]
    pictures, files = made[0]
    assert pictures
    for picture in pictures:
        xml.etree.ElementTree.fromstring(picture.svg)
        assert files[f"{picture.name}.svg"].decode() == picture.svg


def test_an_empty_run_has_a_page(tmp_path: Path) -> None:
    text = run_page(tmp_path, synthetic.run("synthetic-none", "cpu", [])).text
    assert "Not drawn" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 64, "required"),
        (["absent.json", "--output", "out"], 74, "cannot read absent.json"),
        (["bad.json", "--output", "out"], 74, "Object missing required field `format`"),
        (["good.json", "--output", "good.json"], 74, "good.json"),
    ],
)
def test_failures_are_one_clear_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{}")
    Path("good.json").write_text(
        json.dumps(synthetic.document(synthetic.run("synthetic-none", "cpu", [])))
    )
    try:
        ended: object = program.main(arguments)
    except SystemExit as exit_:
        ended = exit_.code
    assert ended == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError('gone', name='matplotlib')")
    (tmp_path / "good.json").write_text(
        json.dumps(synthetic.document(synthetic.run("synthetic-none", "cpu", [])))
    )
    root = Path(write.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "reports", "good.json", "--output", "out"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{root}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 69
    assert "matplotlib is missing" in done.stderr
    assert "run ci/setup" in done.stderr
    assert not (tmp_path / "out").exists()
    # Installed, as by a wheel, without ci/setup.
    shutil.copytree(
        root / "reports", tmp_path / "reports", ignore=shutil.ignore_patterns("*_test*")
    )
    done = subprocess.run(done.args, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 69
    assert "ci/setup" not in done.stderr
    assert f"-m pip install -r {tmp_path}/reports/requirements.txt" in done.stderr
