from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reports import __main__ as program
from reports import load, render, synthetic, write

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 7*7 }}{% raw "
    "%}</pre></style>\u202e"
)
VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """The elements of a page, their attributes and its text; fails when elements do not close in
    order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def expect_text_only(self) -> None:
        """That HOSTILE is shown as text, and nothing acts."""
        assert not self.all("script")
        assert all(
            (image["src"] or "").startswith("data:image/svg+xml;base64,")
            for image in self.all("img")
        )
        assert not [
            key for _, attributes in self.elements for key in attributes if key.startswith("on")
        ]
        assert "<script>alert(1)</script>" in self.text
        assert "{{ 7*7 }}" in self.text
        assert "\u202e" not in self.text


def page_of(folder: Path, *runs: synthetic.Json) -> Page:
    file = write.write(load.parse(synthetic.document(*runs)), folder)
    return Page(file.read_text(encoding="utf-8"))


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
    return page_of(folder, made), folder


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
    page = page_of(tmp_path, hostile(), hostile())
    page.expect_text_only()
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))


def test_the_page_needs_nothing_else(gpu: tuple[Page, Path]) -> None:
    page, _ = gpu
    links = [
        value or ""
        for _, attributes in page.elements
        for key, value in attributes.items()
        if key in ("src", "href")
    ]
    assert links
    assert all(link.startswith(("data:", "#", "figures/")) for link in links)
    shown = [value or "" for image in page.all("img") for key, value in image.items()]
    assert not [value for value in shown if value.startswith("figures/")]
    assert not re.search(r"url\(|@import", (Path(write.__file__).parent / "page.css").read_text())


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
    links = [link["href"] or "" for link in page.all("a")]
    assert {link for link in links if not link.startswith("#")} == {
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
    page = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert len(page.all("img")) == 1
    with pytest.raises(SystemExit, match="64"):
        program.main([*arguments, "--formats", "png,gif"])


def test_the_first_screen_says_what_where_and_whether_it_is_well(tmp_path: Path) -> None:
    text = page_of(tmp_path, small()).text
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
    page = page_of(tmp_path, small())
    assert not [one for one in page.all("details") if one.get("class") == "why"]
    assert "Bound by" not in page.text


def test_several_devices_share_a_page_and_no_file(tmp_path: Path) -> None:
    page = page_of(tmp_path, small(), small() | {"id": "another"}, hostile())
    anchors = [attributes["id"] for attributes in page.all("section")]
    assert anchors[:2] == ["synthetic-small", "synthetic-small-2"]
    assert re.fullmatch(r"[\w.-]+", anchors[2] or "")
    every = [link["href"] or "" for link in page.all("a")]
    links = [link for link in every if link.startswith("#")]
    assert set(links) == {f"#{anchor}" for anchor in anchors}
    assert links[-3:] == [f"#{anchor}" for anchor in anchors], "the contents, in order"
    names = {file.name for file in (tmp_path / "figures").glob("*.png")}
    assert {"synthetic-small-roofs.png", "synthetic-small-2-roofs.png"} < names
    assert len(names) == len(page.all("img"))


def test_figures_that_are_no_longer_drawn_are_removed(tmp_path: Path) -> None:
    page_of(tmp_path, small(), small())
    (tmp_path / "figures" / "notes.txt").write_text("not ours")
    page_of(tmp_path, synthetic.run("synthetic-none", "cpu", []))
    assert [file.name for file in (tmp_path / "figures").iterdir()] == ["notes.txt"]


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
    text = page_of(tmp_path, synthetic.run("synthetic-none", "cpu", [])).text
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
    assert not (tmp_path / "out").exists()
