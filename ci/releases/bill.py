"""What is in a release, for lawyers and for scanners."""

import json
import uuid

from ci.releases.parts import Part

RULE = "=" * 78


def notices(parts: list[Part]) -> str:
    """THIRD-PARTY-NOTICES: every licence of what is part of the programs."""
    text = [
        "The programs of Ridgeline contain what is listed here, each under its own licence.",
        "",
        *(f"- {part.name} {part.version}: {part.licence}" for part in parts),
        "",
    ]
    for part in parts:
        text += [RULE, f"{part.name} {part.version}", RULE, "", part.text.rstrip(), ""]
    return "\n".join(text)


def cyclonedx(version: str, commit: str, timestamp: str, parts: list[Part], pypi: list[str]) -> str:
    """The bill of materials as CycloneDX 1.6 in JSON. `pypi` are requirements ("numpy>=1.24"),
    which pip installs beside the programs. The same release has the same serial number."""

    def component(part: Part) -> dict:
        licence: dict = {"license": {"id": part.licence}}
        if " WITH " in part.licence:
            licence = {"expression": part.licence}
        elif part.licence.startswith("LicenseRef-"):
            licence = {"license": {"name": part.licence.removeprefix("LicenseRef-")}}
        return {
            "type": "library",
            "bom-ref": part.address,
            "name": part.name,
            "version": part.version,
            "purl": part.address,
            "scope": "required",
            "licenses": [licence],
        }

    def asked_for(requirement: str) -> dict:
        name = requirement.partition(">")[0]
        return {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}",
            "name": name,
            "purl": f"pkg:pypi/{name}",
            "scope": "optional",
            "description": f"not contained; the wheel asks for {requirement}",
        }

    own = f"pkg:pypi/ridgeline@{version}"
    contained = [component(part) for part in parts]
    asked = [asked_for(each) for each in pypi]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, own + '#' + commit)}",
        "version": 1,
        "metadata": {
            "timestamp": timestamp,
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "ridgeline",
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "properties": [{"name": "commit", "value": commit}],
            },
        },
        "components": [*contained, *asked],
        "dependencies": [
            {"ref": own, "dependsOn": [each["bom-ref"] for each in [*contained, *asked]]}
        ],
    }
    return json.dumps(document, indent=2) + "\n"
