"""What `ci/fetch_cuda` takes of a wheel."""

import importlib.machinery
import importlib.util
import zipfile
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader(
    "fetch_cuda", str(Path(__file__).parent / "fetch_cuda")
)
fetch_cuda = importlib.util.module_from_spec(importlib.util.spec_from_loader("fetch_cuda", LOADER))
LOADER.exec_module(fetch_cuda)


def test_members_lie_where_a_build_looks_for_them(tmp_path):
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for name in (
            "nvidia/cudnn/include/cudnn.h",
            "nvidia/cudnn/lib/libcudnn.so.9",
            "include/front/end.h",
            "front_end-1.0.dist-info/licenses/LICENSE",
            "front_end-1.0.dist-info/METADATA",
            "cudnn/include/other.h",
            "include/../../outside.h",
        ):
            file.writestr(name, name)
    folder = tmp_path / "folder"
    wanted = ["include/", "licenses/", "lib/libcudart_static.a"]
    assert fetch_cuda.extract(wheel.as_uri(), wanted, folder) == 3
    found = {
        str(path.relative_to(tmp_path)): path.read_text()
        for path in tmp_path.rglob("*")
        if path.is_file() and path != wheel
    }
    assert found == {
        "folder/include/cudnn.h": "nvidia/cudnn/include/cudnn.h",
        "folder/include/front/end.h": "include/front/end.h",
        "folder/licenses/LICENSE": "front_end-1.0.dist-info/licenses/LICENSE",
    }
