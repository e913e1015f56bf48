# SPDX-License-Identifier: BSD-2-Clause
# data/ has the scenes that make_scenes makes, and the tool finds the true places in each.
. "${0%/*}/lib.sh"
holds 'data/ has the scenes that make_scenes makes' "$MAKE_SCENES" --check "$DATA"
mkdir made
"$MAKE_SCENES" made || fail 'make_scenes'
holds 'make_scenes makes the same scenes again' "$MAKE_SCENES" --check made
printf 'x' | dd of=made/cells.tif bs=1 seek=5000 conv=notrunc 2>/dev/null
if "$MAKE_SCENES" --check made >/dev/null 2>&1; then fail 'make_scenes --check does not notice a changed pixel'; fi

cd "$DATA" || exit 1
sed 1d truth.csv | cut -d, -f1,2 | sort -u >"$work/pairs"
while IFS=, read -r image templ; do
    grep "^$image,$templ," truth.csv | cut -d, -f3,4 | sort >"$work/want"
    count=$(wc -l <"$work/want")
    options=
    [ "$image" != buttons.tif ] || options='--channels sum --mask buttons-mask.tif'
    "$EXACTNCC" find --device cpu $options --top "$count" --format csv "$image" "$templ" | sed 1d | cut -d, -f4,5 | sort >"$work/found"
    holds "$image: the true places" cmp "$work/want" "$work/found"
done <"$work/pairs"
finish
