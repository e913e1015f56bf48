#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Reads built files and says what is missing of the options of cmake/Hardening.cmake, a line for each, with exit status 1.
#
#   bash scripts/hardening.sh FILE...     programs, shared libraries and static archives of an optimized build
#
# Of a program or a shared library it asks:
#   relro, now      the linker's tables are read-only when it starts
#   stack           no stack, and no other memory that is written to, can be executed
#   text            its code needs no changes when it is loaded
#   pie             a program can be loaded at any address
#   canary          functions with arrays check the word behind them
#   fortify         the C library checks sizes that the compiler knew
# Of a program of x86-64 and of every object of an archive there:
#   branch          targets of indirect jumps are marked
#   clash           large frames touch each of their pages
# Objects of CUDA sources and of the device linker are not asked for marks: their host part only launches kernels.
set -euo pipefail
export LC_ALL=C
problems=0

problem() {
    echo "$1: $2"
    problems=$((problems + 1))
}

# read_all FILE: everything that is asked about, read once.
read_all() {
    header=$(readelf --wide --file-header "$1")
    segments=$(readelf --wide --program-headers "$1")
    dynamic=$(readelf --wide --dynamic "$1")
    symbols=$(readelf --wide --dyn-syms "$1")
}

check_linked() {
    local file=$1 header segments dynamic symbols
    read_all "$file"
    if ! grep -q 'Type: *DYN' <<<"$header" || { grep -q ' INTERP ' <<<"$segments" && ! grep -q 'FLAGS_1.* PIE' <<<"$dynamic"; }; then
        problem "$file" "pie: not to be loaded at any address (-fPIE -pie)"
    fi
    grep -q ' GNU_RELRO ' <<<"$segments" || problem "$file" "relro: tables stay writable (-z relro)"
    grep -Eq 'BIND_NOW|FLAGS_1.* NOW' <<<"$dynamic" || problem "$file" "now: symbols are bound late (-z now)"
    grep -Eq ' GNU_STACK .* RW +0x' <<<"$segments" || problem "$file" "stack: can be executed (-z noexecstack)"
    if grep -Eq '^ *LOAD .* RWE +0x' <<<"$segments"; then
        problem "$file" "stack: memory can be written to and executed"
    fi
    if grep -Eq 'TEXTREL' <<<"$dynamic"; then
        problem "$file" "text: its code is changed when it is loaded"
    fi
    grep -Eq ' UND __stack_chk_fail(@|$)' <<<"$symbols" || problem "$file" "canary: none (-fstack-protector-strong)"
    grep -Eq ' UND __[a-z]+_chk(@|$)' <<<"$symbols" || problem "$file" "fortify: no checked call (-D_FORTIFY_SOURCE=2)"
    if [[ $header == *X86-64* ]]; then
        # The page of a large frame is touched right after the stack has grown by a page.
        objdump --disassemble --no-show-raw-insn "$file" |
            awk '/sub +\$0x1000,%rsp/ { grown = NR } /(or|mov)[ql]? +\$0x0,(0x[0-9a-f]+)?\(%rsp\)/ && NR == grown + 1 { found = 1 } END { exit !found }' ||
            problem "$file" "clash: no large frame touches its pages (-fstack-clash-protection)"
    fi
}

check_archive() {
    local file=$1 name headers
    headers=$(readelf --wide --file-header "$file")
    [[ $headers == *X86-64* ]] || return 0
    # readelf names each object of an archive in a line of its own, and its marks after it.
    while read -r name; do
        case $name in
            *.cu.o | cmake_device_link*) ;;
            *) problem "$file" "branch: $name has no marks (-fcf-protection)" ;;
        esac
    done < <(readelf --wide --notes "$file" |
        awk '/^File: / { if (name && !marked) print name; name = $2; sub(/.*\(/, "", name); sub(/\).*/, "", name); marked = 0 }
             /Properties:.*IBT, SHSTK/ { marked = 1 }
             END { if (name && !marked) print name }')
}

[[ $# -gt 0 ]] || {
    echo "hardening.sh: give the files to read" >&2
    exit 2
}
for file in "$@"; do
    case $file in
        *.a) check_archive "$file" ;;
        *) check_linked "$file" ;;
    esac
done
echo "$# files, $problems problems"
[[ $problems == 0 ]]
