# SPDX-License-Identifier: BSD-2-Clause
# Floats of very different sizes, by ccoeff: every kernel has the bits of the reference. In lost_squares.npy large rows slide over columns
# whose squares are then lost; in one_huge.npy a window has one huge sample, which another one cancels.
. "${0%/*}/lib.sh"
for name in lost_squares one_huge; do
    cp "${0%/*}/$name.npy" "${0%/*}/${name}_templ.npy" .
    run 0 correlate --device cpu --method ccoeff --kernel reference $name.npy ${name}_templ.npy -o want.npy
    for kernel in '' direct fft direct-portable fft-portable; do
        run 0 correlate --device cpu --method ccoeff ${kernel:+--kernel $kernel} $name.npy ${name}_templ.npy -o got.npy
        holds "$name, kernel '$kernel'" cmp want.npy got.npy
    done
done
finish
