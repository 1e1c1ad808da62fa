# SPDX-License-Identifier: Apache-2.0
"""Answers questions about versions and requirements of Python packages by the rules of PEP 440, 503 and 508, with the
library `packaging`.

Run as `python3 -c TEXT QUESTION`. The question's values come as JSON on standard input; the answer is JSON.
"""

import bisect
import json
import re
import sys

try:
    from packaging.markers import InvalidMarker
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version
except ImportError:
    try:
        from pip._vendor.packaging.markers import InvalidMarker
        from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
        from pip._vendor.packaging.utils import canonicalize_name
        from pip._vendor.packaging.version import InvalidVersion, Version
    except ImportError:
        sys.exit("this Python has neither packaging nor pip: apt-get install python3-pip")


def parsed(text):
    try:
        requirement = Requirement(text)
    except (InvalidRequirement, InvalidMarker) as error:
        raise InvalidRequirement(f'"{text}" is not a requirement: {str(error).splitlines()[0]}') from error
    if requirement.url:
        raise InvalidRequirement(f'"{text}": a requirement by address is not supported')
    return requirement


def counts(requirement, extras, markers):
    """Return whether the requirement's marker holds, here or for `markers`, with any of the extras."""
    if requirement.marker is None:
        return True
    # `packaging` before 22 compares extras literally, so each is also tried as the marker spells it.
    words = re.findall(r"[\w.-]+", str(requirement.marker))
    spelled = extras | {word for word in words if canonicalize_name(word) in extras}
    return any(requirement.marker.evaluate({**markers, "extra": extra}) for extra in spelled or {""})


def required_by(package, extras, markers):
    for text in package["requires"]:
        try:
            requirement = parsed(text)
        except InvalidRequirement:
            continue  # pip would not accept it from an index either
        if counts(requirement, extras, markers):
            yield requirement


def is_met(texts, package):
    """Return whether the package's version meets all of them. A pre-release that pip chose counts like a release."""
    try:
        return all(Requirement(text).specifier.contains(package["version"], prereleases=True) for text in texts)
    except InvalidVersion:
        return False


def needs(question):
    """Return which of the chosen packages are needed, and the requirements that none of them meets.

    Follows the requirements from the wanted ones through the chosen packages, except through those to skip.
    """
    markers, chosen = question["markers"], question["chosen"]
    skip = {canonicalize_name(name) for name in question["skip"]}
    extras, followed, texts = {}, {}, {}
    open_requirements = [each for each in map(parsed, question["wanted"]) if counts(each, set(), markers)]
    while open_requirements:
        requirement = open_requirements.pop()
        name = canonicalize_name(requirement.name)
        if name in skip:
            continue
        extras.setdefault(name, set()).update(map(canonicalize_name, requirement.extras))
        requirement.name, requirement.marker = name, None
        texts.setdefault(name, set()).add(str(requirement))
        if name in chosen and followed.get(name) != extras[name]:
            followed[name] = set(extras[name])
            open_requirements += required_by(chosen[name], extras[name], markers)
    unmet = [name for name in sorted(texts) if name not in chosen or not is_met(texts[name], chosen[name])]
    return {"packages": sorted(set(texts) & set(chosen)), "unmet": [text for name in unmet for text in sorted(texts[name])]}


def nearest(question):
    """Return the versions nearest to the wanted one, up to three on each side. All lists ascend."""
    versions = sorted(question["versions"], key=Version)
    try:
        wanted = max(Version(each.version) for each in Requirement(question["wanted"]).specifier)
    except (InvalidRequirement, InvalidVersion, ValueError):  # "1.*", or no version
        return versions[-6:]
    at = bisect.bisect_right([Version(version) for version in versions], wanted)
    return versions[max(at - 3, 0) : at + 3]


def between(question):
    """Return the versions from one to another, both included, ascending; null if the first is not the older one.

    Pre-releases count only if an end is one. Of versions that differ only in their local parts, one is returned, without
    that part. Texts that are not versions are left out, except as an end.
    """
    first, last = (Version(Version(question[end]).public) for end in ("from", "to"))
    if first >= last:
        return None
    has_pre_releases = first.is_prerelease or last.is_prerelease
    inside = set()
    for text in question["versions"]:
        try:
            version = Version(Version(text).public)
        except InvalidVersion:
            continue
        if first < version < last and (has_pre_releases or not version.is_prerelease):
            inside.add(version)
    return [question["from"], *map(str, sorted(inside)), question["to"]]


def is_same(question):
    """Return whether two versions are equal except for local parts: 1.0 is 1.0.0, and 2.15.0+cpu is 2.15.0."""
    first, second = (Version(Version(text).public) for text in question)
    return first == second


try:
    questions = {"needs": needs, "nearest": nearest, "between": between, "is_same": is_same}
    answer = questions[sys.argv[1]](json.load(sys.stdin))
except (InvalidRequirement, InvalidVersion) as error:
    sys.exit(str(error))
print(json.dumps(answer))
