# SPDX-License-Identifier: Apache-2.0
"""Runs `pip install --dry-run --report FILE` so that pip reads metadata only, and adds the sizes of wheels to its report.

Run as `python3 -c TEXT QUESTION ARGUMENT…`: QUESTION is JSON (`report`: FILE; `markers`: variables of another kind of
device; `prefer_cpu`: builds without CUDA come first; `needs_hashes`), the arguments are pip's. By itself pip downloads
whatever it would install, evaluates markers for the Python that runs it, and takes "+cu132" for newer than "+cpu". The three
changes to that are made in this process only. Where a version of pip lacks what is changed here, it works as it always does.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from zipfile import ZipFile

from pip._internal.cli.main import main
from pip._vendor.packaging.utils import canonicalize_name

sessions = []  # with pip's proxies, certificates and credentials
chosen = {}  # name -> link


def read_metadata_only(needs_hashes):
    """Have pip read the metadata of wheels by range requests, and download nothing after it has chosen.

    If hashes are needed, wheels whose hash the index does not tell are downloaded.
    """
    from pip._internal.operations.prepare import RequirementPreparer as Preparer
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.utils.direct_url_helpers import direct_url_from_link

    prepare, read, resolve = Preparer.prepare_linked_requirement, Preparer._fetch_metadata_using_lazy_wheel, Resolver.resolve
    Preparer.prepare_linked_requirements_more
    distributions = {}

    def read_or_download(self, link):
        if needs_hashes and not link.hash:
            return None
        self.use_lazy_wheel = True  # as --use-feature=fast-deps does
        try:
            return read(self, link)
        except Exception:  # servers answer range requests in many ways
            return None

    def prepare_and_remember(self, requirement, *arguments, **options):
        sessions[:] = [getattr(self, "_session", None)]
        distributions[requirement.link] = prepare(self, requirement, *arguments, **options)
        return distributions[requirement.link]

    def resolve_and_complete(self, *arguments, **options):
        resolved = resolve(self, *arguments, **options)
        for each in resolved.requirements_to_install:
            chosen[canonicalize_name(each.name)] = each.link
            if getattr(each, "download_info", None) is None:
                each.download_info = direct_url_from_link(each.link)
            if each.link in distributions:
                each.get_dist = lambda found=distributions[each.link]: found
        return resolved

    Preparer._fetch_metadata_using_lazy_wheel = read_or_download
    Preparer.prepare_linked_requirement = prepare_and_remember
    Preparer.prepare_linked_requirements_more = lambda self, *arguments, **options: None
    Resolver.resolve = resolve_and_complete


def prefer_builds_without_cuda():
    """Have pip choose 2.15.0+cpu before 2.15.0 and 2.15.0+cu132. Which release it chooses is not changed."""
    from pip._internal.index.package_finder import CandidateEvaluator
    from pip._vendor.packaging.version import Version

    sort_key = CandidateEvaluator._sort_key

    def key(self, candidate):
        known = sort_key(self, candidate)
        at = known.index(candidate.version)
        version = Version(str(candidate.version))
        return (*known[:at], Version(version.public), version.local == "cpu", *known[at:])

    CandidateEvaluator._sort_key = key


def evaluate_markers_for(variables):
    from pip._vendor.packaging import markers

    here = markers.default_environment
    markers.default_environment = lambda: {**here(), **variables}


def sizes_of(link):
    """Return the bytes of a wheel, of its files and of those in Python; nothing if the server does not tell."""
    try:
        if link.is_file:
            return sizes_in(link.file_path, os.path.getsize(link.file_path))
        from pip._internal.network.lazy_wheel import LazyZipOverHTTP

        with LazyZipOverHTTP(link.url_without_fragment, sessions[0]) as wheel:
            return sizes_in(wheel, int(wheel._length))
    except Exception:
        return {}


def sizes_in(wheel, download_bytes):
    with ZipFile(wheel) as archive:
        files = archive.infolist()
    return {"download": download_bytes, "installed": sum(each.file_size for each in files),
            "python": sum(each.file_size for each in files if each.filename.endswith(".py"))}


def complete(report):
    """Add to each entry its wheel's address with the hash, as pip's index has it, and its sizes."""
    with open(report) as file:
        content = json.load(file)
    entries = [(entry, chosen.get(canonicalize_name(entry["metadata"]["name"]))) for entry in content["install"]]
    entries = [(entry, link) for entry, link in entries if link is not None]
    with ThreadPoolExecutor(8) as pool:
        for (entry, link), sizes in zip(entries, pool.map(sizes_of, [link for _, link in entries])):
            entry["wheel"] = {"url": link.url, **sizes}
    with open(report, "w") as file:
        json.dump(content, file)


def change(what, *arguments):
    try:
        what(*arguments)
        return True
    except (ImportError, AttributeError):
        return False


question = json.loads(sys.argv[1])
change(read_metadata_only, question["needs_hashes"])
if question["prefer_cpu"]:
    change(prefer_builds_without_cuda)
if question["markers"] and not change(evaluate_markers_for, question["markers"]):
    sys.exit("ERROR: this version of pip cannot choose for other kinds of devices")
code = main(sys.argv[2:])
if code == 0 and os.path.exists(question["report"]):
    complete(question["report"])
sys.exit(code)
