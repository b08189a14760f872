"""Programs that behave as those of Google Benchmark and NVBench do, with times that are scripted,
and some that misbehave as the names of their benchmarks say."""

from pathlib import Path

GOOGLE_BENCHMARK = """#!/usr/bin/env python3
import json, os, re, sys, time

NAMES, NS = {names!r}, {ns!r}
flags = dict(each.split("=", 1) for each in sys.argv[1:] if "=" in each)
if flags.get("--benchmark_list_tests") == "true":
    print("\\n".join(NAMES))
    sys.exit()
chosen = [name for name in NAMES if re.search(flags["--benchmark_filter"], name)]
with open(sys.argv[0] + ".asked", "a") as asked:
    print(json.dumps(flags), file=asked)
rows = []
for name in chosen:
    if name == "Crashes":
        os.abort()
    if name == "Exits":
        sys.exit("no such device")
    if name == "Hangs":
        time.sleep(600)
    if name == "Silent":
        sys.exit()
    row = dict(name=name, run_name=name, run_type="iteration", iterations=1000, time_unit="ns",
               real_time=NS, cpu_time=NS)
    if name == "Fails":
        row |= dict(error_occurred=True, error_message="it said so")
    if name == "Aggregated":
        row |= dict(name=name + "_median", run_type="aggregate", aggregate_name="median")
        rows.append(row)
        continue
    for repetition in range(int(flags["--benchmark_repetitions"])):
        rows.append(row | dict(repetition_index=repetition))
with open(flags["--benchmark_out"], "w") as out:
    context = dict(executable=sys.argv[0], date="2026-01-31T12:00:00+00:00")
    document = dict(context=context, benchmarks=rows)
    out.write("{{" if chosen == ["Broken"] else json.dumps(document))
"""

NVBENCH = """#!/usr/bin/env python3
import json, struct, sys
from pathlib import Path

out = Path(sys.argv[sys.argv.index("--json" if "--json" in sys.argv else "--jsonbin") + 1])


def state(n):
    times = [n * 1e-9 * (1 + i / 1000) for i in range(10)]
    binary = out.with_name(out.name + "-bin") / f"{{n}}.bin"
    mean = sum(times) / len(times)
    tags = {{"nv/cold/time/gpu/mean": mean, "nv/cold/sample_size": 10}}
    summaries = [
        dict(tag=tag, data=[dict(name="value", type="float64", value=str(value))])
        for tag, value in tags.items()
    ]
    if "--jsonbin" in sys.argv:
        binary.parent.mkdir(exist_ok=True)
        binary.write_bytes(struct.pack("<10f", *times))
        name = f"{{binary.parent.name}}/{{binary.name}}"
        data = [dict(name="filename", type="string", value=name)]
        data.append(dict(name="size", type="int64", value="10"))
        summaries.append(dict(tag="nv/json/bin:nv/cold/sample_times", data=data))
    axes = [dict(name="n", type="int64", value=str(n))]
    return dict(name=f"n={{n}}", device=0, is_skipped=False, axis_values=axes, summaries=summaries)


version = dict(json=dict(major=1, minor=0, patch=0, string="1.0.0"))
benchmarks = [dict(name="copy", index=0, devices=[0], axes=[], states=[state(1000), state(2000)])]
devices = [dict(id=0, name="Synthetic GPU")]
Path(sys.argv[0] + ".calls").open("a").write(" ".join(sys.argv[1:]) + "\\n")
meta = dict(argv=sys.argv, version=version)
out.write_text(json.dumps(dict(meta=meta, devices=devices, benchmarks=benchmarks)))
"""


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file


def google_benchmark(file: Path, *names: str, ns: float = 1000.0) -> Path:
    return written(file, GOOGLE_BENCHMARK.format(names=names, ns=ns))


def nvbench(file: Path) -> Path:
    return written(file, NVBENCH.replace("{{", "{").replace("}}", "}"))
