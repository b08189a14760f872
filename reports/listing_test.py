from __future__ import annotations

from reports import listing, load, synthetic, synthetic_counts
from reports.listing import Listing
from reports.model import Run

Json = synthetic.Json


def run_of(made: Json | None = None) -> Run:
    return load.parse(synthetic.document(made or synthetic_counts.run())).runs[0]


def listing_of(case: str, file: str, made: Json | None = None) -> Listing:
    pages = {page.file: page for page in listing.pages(run_of(made), "")}
    return next(one for one in pages[file].listings if one.case.name == case)


TILED = "turning/tiled/f32/rows=512,cols=512"


def test_lines_stand_with_what_they_ask_of_memory() -> None:
    one = listing_of(TILED, "kernels/turn/tiled.cu")
    assert [line.number for line in one.lines] == list(range(1, 12))
    assert [line.number for line in one.lines if line.accesses] == [7, 10]
    assert [line.number for line in one.lines if line.marked] == [10]
    assert one.lines[2].text == "  __shared__ float held[32][32];"
    load_, store = one.lines[9].accesses
    assert (load_.words["wavefronts"], load_.words["conflicts"], load_.wasteful) == (
        "32.00",
        "32x",
        True,
    )
    assert (store.words["sectors"], store.words.get("uncoalesced"), store.wasteful) == (
        "4.00",
        None,
        False,
    )
    assert (one.worst_sectors, one.worst_wavefronts, one.note, one.lost) == ("", "32x", "", ())


def test_files_of_a_case_name_each_other() -> None:
    one = listing_of("stepping/step/f32/stride=8,elements=65536", "kernels/step/step.cu")
    assert one.elsewhere == (("kernels/step/load_one.cuh", "03-load_one.cuh.html#c4"),)
    links = listing.links(listing.pages(run_of(), "x-"))
    assert links[TILED] == "x-06-tiled.cu.html#c1"


def test_what_has_no_line_is_shown_all_the_same() -> None:
    one = listing_of("product/wide/f16/m=256,n=256,k=256", "kernels/product/wide.cu")
    assert one.lines == ()
    assert one.note == "The source was not kept."
    assert [(line.number, line.text, len(line.accesses)) for line in one.lost] == [
        (None, "line 40", 2),
        (None, "line 57", 1),
        (None, "line 71", 1),
    ]
    assert one.lost[1].accesses[0].words["conflicts"] == "2x"
    assert (
        listing_of(one.case.name, "").lost[0].text == "of no line that the debug information names"
    )


def test_kernels_are_named_where_a_file_has_several() -> None:
    made = synthetic_counts.run()
    case = next(case for case in made["cases"] if case["name"] == TILED)
    case["sites"].append(
        synthetic_counts.site("other", "kernels/turn/tiled.cu", 7, "global load", 1, sectors=32)
    )
    one = listing_of(TILED, "kernels/turn/tiled.cu", made)
    assert one.kernels == ("turn", "other")
    assert [site.kernel for site in one.lines[6].accesses] == ["turn", "turn", "other"]
    assert one.worst_sectors == "8x"


def test_long_files_are_shown_around_their_accesses() -> None:
    made = synthetic_counts.run()
    made["sources"][0]["text"] = "\n".join(f"line {at}" for at in range(1, 1001))
    lines = listing_of(TILED, "kernels/turn/tiled.cu", made).lines
    assert [line.number for line in lines] == [*range(1, 23), None]
    assert lines[-1].text == "978 lines without accesses"


def test_long_lines_are_cut_and_tabs_have_their_room() -> None:
    made = synthetic_counts.run()
    made["sources"][0]["text"] = "\tx\n" + "y" * 100_000 + "\r\nz"
    one = listing_of(TILED, "kernels/turn/tiled.cu", made)
    assert [line.text for line in one.lines] == []
    assert "does not have" in one.note
    made["sources"][0]["text"] += "\n" * 10
    lines = listing_of(TILED, "kernels/turn/tiled.cu", made).lines
    assert lines[0].text == "    x"
    assert lines[1].text == "y" * listing.LONGEST_LINE + "…"
    assert lines[2].text == "z"


def test_a_source_that_is_left_out_says_so() -> None:
    made = synthetic_counts.run()
    made["sources"][0] = {"file": "kernels/turn/tiled.cu", "bytes": 1 << 20}
    one = listing_of(TILED, "kernels/turn/tiled.cu", made)
    assert one.note == "The source is left out: it has 1048576 bytes."
    assert len(one.lost) == 2


def test_a_changed_source_stands_beside_the_older() -> None:
    made = synthetic_counts.run()
    made["sources"].append({"file": "kernels/turn/tiled.cu", "text": "// new\n" * 20})
    other = next(
        case for case in made["cases"] if case["name"] == "turning/tiled/f32/rows=256,cols=256"
    )
    other["sources"] = [len(made["sources"]) - 1]
    assert listing_of(other["name"], "kernels/turn/tiled.cu", made).lines[0].text == "// new"
    assert listing_of(TILED, "kernels/turn/tiled.cu", made).lines[0].text.startswith("// Turns")
