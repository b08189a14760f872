"""The table of what tensor cores cut off sums: errors over the number of positive products."""

from collections.abc import Callable

OPTION = "input=positive"


def shown(number: float) -> str:
    return f"{number:.1e}".replace("e-0", "e-")


def parts_of(name: str) -> tuple[str, str, int]:
    """Variant, type and K of a case of gemm."""
    _, variant, dtype, fields = name.split("/")
    values = dict(field.split("=") for field in fields.split(","))
    return variant, dtype, int(values["k"])


def table(cases: list[dict]) -> str:
    """Of the cases of `ridgeline show --json`; empty where none has such inputs. A row per variant
    and type, a column per K: the largest error, and the tolerance of the last K."""
    rows: dict[tuple[str, str], dict[int, dict]] = {}
    for case in cases:
        name = case["case"]
        if name.startswith("gemm/") and OPTION in name.split("/")[-1].split(","):
            variant, dtype, k = parts_of(name)
            rows.setdefault((dtype, variant), {})[k] = case
    if not rows:
        return ""
    depths = sorted({k for found in rows.values() for k in found})
    head = ["type", "variant", *(f"K = {k}" for k in depths), f"tolerated at K = {depths[-1]}"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "---:|" * (len(depths) + 1)]
    for (dtype, variant), found in sorted(rows.items()):
        errors = [shown(found[k]["error"]) if "error" in found.get(k, {}) else "" for k in depths]
        last = found.get(depths[-1], {})
        tolerated = shown(last["tolerance"]) if "tolerance" in last else ""
        lines.append(f"| {dtype} | `{variant}` | " + " | ".join([*errors, tolerated]) + " |")
    return "\n".join(lines) + "\n"


def newest(ask: Callable[..., dict]) -> str:
    """The table of the newest run on a GPU that has one, with the run's name; empty without any.
    `ask` answers a command of `ridgeline` by what it prints as JSON."""
    for run in ask("runs", "--json")["runs"]:
        if not run["device"].startswith("cuda"):
            continue
        if made := table(ask("show", run["id"], "--json")["cases"]):
            return f"{run['device_name']}, {run['started'][:10]}, run `{run['id']}`.\n\n{made}"
    return ""
