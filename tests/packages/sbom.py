#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the list of what a build is made of: exactncc.spdx.json.

    sbom.py FILE [--planted] [PROGRAM...]

The file is checked against the rules of SPDX 2.3 that such a document can break, its versions against pkg-config, and every shared library
that a PROGRAM is linked with must be on the list. --planted: checks that each of these is seen to be broken. (The validator of SPDX itself is
used by `scripts/test.sh full`.)
"""
import copy
import json
import re
import shutil
import subprocess
import sys

# The name of a shared library: the package. Libraries of the system and of the project are None.
# (Linkers that keep every library that they are given make the programs need zlib, which CMake's PNG::PNG names.)
LIBRARIES = {"libtiff": "libtiff", "libpng": "libpng", "libpng16": "libpng", "libz": "zlib", "libjpeg": "libjpeg-turbo", "libmpi": "mpi",
             "libc": "glibc", "libm": "glibc", "libpthread": "glibc", "libdl": "glibc", "librt": "glibc", "ld-linux-x86-64": "glibc", "ld-linux-aarch64": "glibc",
             "linux-vdso": None, "libexactncc": None}
MODULES = {"libtiff": "libtiff-4", "libpng": "libpng", "zlib": "zlib", "libjpeg-turbo": "libjpeg"}
RELATIONS = {"DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK", "BUILD_TOOL_OF", "OPTIONAL_DEPENDENCY_OF", "DEPENDS_ON"}


def check_document(document, problems):
    def need(holder, name, pattern, what):
        value = holder.get(name)
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            problems.append("%s: %s is %r" % (what, name, value))
    need(document, "spdxVersion", r"SPDX-2\.3", "document")
    need(document, "dataLicense", r"CC0-1\.0", "document")
    need(document, "SPDXID", r"SPDXRef-DOCUMENT", "document")
    need(document, "name", r"exactncc-\d+\.\d+\.\d+", "document")
    need(document, "documentNamespace", r"https://[^#\s]+", "document")
    creation = document.get("creationInfo", {})
    need(creation, "created", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "creationInfo")
    creators = creation.get("creators") or [""]
    if not all(re.fullmatch(r"(Tool|Organization|Person): \S.*", c) for c in creators):
        problems.append("creationInfo: creators are %r" % creators)
    for package in document.get("packages", []):
        what = package.get("name", "a package without a name")
        need(package, "SPDXID", r"SPDXRef-[A-Za-z0-9.-]+", what)
        need(package, "name", r"\S.*", what)
        need(package, "versionInfo", r"\S+", what)
        need(package, "downloadLocation", r"NOASSERTION|NONE|[a-z+]+://\S+", what)
        need(package, "licenseDeclared", r"NOASSERTION|[A-Za-z0-9.-]+( (AND|OR|WITH) [A-Za-z0-9.-]+)*", what)
        if package.get("filesAnalyzed") is not False:
            problems.append("%s: filesAnalyzed is not false" % what)


def check_references(document, problems):
    ids = [p.get("SPDXID") for p in document.get("packages", [])]
    known = set(ids) | {"SPDXRef-DOCUMENT"}
    if len(set(ids)) != len(ids):
        problems.append("an SPDXID is there twice")
    related = set()
    for relation in document.get("relationships", []):
        ends = relation.get("spdxElementId"), relation.get("relatedSpdxElement")
        if relation.get("relationshipType") not in RELATIONS or not set(ends) <= known:
            problems.append("a relationship that cannot be: %r" % relation)
        related |= set(ends)
    problems.extend("%s is related to nothing" % i for i in ids if i not in related)
    extracted = {e.get("licenseId") for e in document.get("hasExtractedLicensingInfos", [])}
    for package in document.get("packages", []):
        for name in re.findall(r"LicenseRef-[A-Za-z0-9.-]+", package.get("licenseDeclared", "")):
            if name not in extracted:
                problems.append("%s: the text of %s is missing" % (package.get("name"), name))


def check_versions(document, problems):
    if not shutil.which("pkg-config"):
        return
    for package in document.get("packages", []):
        module = MODULES.get(package.get("SPDXID", "")[len("SPDXRef-"):])
        said = module and subprocess.run(["pkg-config", "--modversion", module], capture_output=True, text=True)
        if said and said.returncode == 0 and said.stdout.strip() != package.get("versionInfo"):
            problems.append("%s is %s, and not %s" % (package["name"], said.stdout.strip(), package.get("versionInfo")))


def check_programs(document, programs, problems):
    listed = {p.get("SPDXID", "")[len("SPDXRef-"):] for p in document.get("packages", [])}
    for program in programs:
        said = subprocess.run(["readelf", "--wide", "--dynamic", program], capture_output=True, text=True, check=True).stdout
        for needed in re.findall(r"\(NEEDED\).*\[(.*?)\.so[.0-9]*\]", said):
            package = LIBRARIES.get(needed, needed)
            if package is not None and package not in listed:
                problems.append("%s is linked with %s, which is not on the list" % (program, needed))


def check(document, programs):
    problems = []
    check_document(document, problems)
    check_references(document, problems)
    check_versions(document, problems)
    check_programs(document, programs, problems)
    return problems


def plants(document):
    """Broken documents, each with the word that tells what is wrong."""
    def broken(word, change):
        other = copy.deepcopy(document)
        change(other)
        return word, other
    last = len(document["packages"]) - 1
    yield broken("spdxVersion", lambda d: d.update(spdxVersion="SPDX-2.2"))
    yield broken("created", lambda d: d["creationInfo"].update(created="2026-11-22"))
    yield broken("creators", lambda d: d["creationInfo"].update(creators=["somebody"]))
    yield broken("documentNamespace", lambda d: d.pop("documentNamespace"))
    yield broken("SPDXID", lambda d: d["packages"][last].update(SPDXID="SPDXRef-a b"))
    yield broken("twice", lambda d: d["packages"].append(d["packages"][last]))
    yield broken("versionInfo", lambda d: d["packages"][last].update(versionInfo=""))
    yield broken("licenseDeclared", lambda d: d["packages"][last].update(licenseDeclared="a, b"))
    yield broken("missing", lambda d: d["packages"][last].update(licenseDeclared="LicenseRef-none"))
    yield broken("cannot be", lambda d: d["relationships"][0].update(relatedSpdxElement="SPDXRef-none"))
    yield broken("related to nothing", lambda d: d["relationships"].pop())
    if not any(p["name"] == "libtiff" for p in document["packages"]):  # a build without the tool
        return
    yield broken("which is not on the list", lambda d: d.update(packages=[p for p in d["packages"] if p["name"] != "libtiff"]))
    if shutil.which("pkg-config"):
        yield broken("and not", lambda d: [p.update(versionInfo="1.2.3") for p in d["packages"] if p["name"] == "libtiff"])


def main():
    file, programs = sys.argv[1], [a for a in sys.argv[2:] if a != "--planted"]
    with open(file) as text:
        document = json.load(text)
    problems = check(document, programs)
    for problem in problems:
        print("%s: %s" % (file, problem))
    if "--planted" in sys.argv and not problems:
        cases = list(plants(document))
        for word, other in cases:
            said = check(other, programs)
            if not any(word in p for p in said):
                problems.append(word)
                print("'%s' is not seen: %r" % (word, said))
        print("%d planted errors" % len(cases))
    names = ["%s %s" % (p["name"], p["versionInfo"]) for p in document["packages"]]
    print("%d packages: %s" % (len(names), ", ".join(names)))
    return bool(problems)


sys.exit(main())
