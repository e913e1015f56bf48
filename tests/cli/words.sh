# SPDX-License-Identifier: BSD-2-Clause
# Words that are nearly right: commands, options and values. The error names the nearest word, and the right culprit. Then --help, help,
# --version and --help-json.
. "${0%/*}/lib.sh"
board=$DATA/board.tif
templ=$DATA/board-fiducial.tif

wrong() { # TEXT ARGUMENTS...: status 2, and stderr is exactly the text
    text=$1
    shift
    run 2 "$@"
    checks=$((checks + 1))
    [ "$(cat err)" = "$text" ] || { fail "stderr is not '$text', but:"; cat err; }
}

# Commands.
wrong 'exactncc: fnd: no such command; did you mean find?' fnd
wrong 'exactncc: corelate: no such command; did you mean correlate?' corelate
wrong 'exactncc: con: no such command; did you mean convolve?' con
wrong 'exactncc: locate: no such command; did you mean find?' locate
wrong 'exactncc: FIND: no such command; did you mean find?' FIND
wrong 'exactncc: nothing: no such command; see exactncc --help' nothing
wrong 'exactncc: --top: no such command; the command comes first, then its options' --top 5 find "$board" "$templ"
wrong "exactncc: $board: no such command; did you mean exactncc find?" "$board" "$templ"
wrong 'exactncc: infos: no such command; did you mean info?' help infos

# Options: misspelt, abbreviated, of another command, of another program.
wrong 'exactncc find: --methd: no such option; did you mean --method?' find --methd ccorr "$board" "$templ"
wrong 'exactncc find: --methods: no such option; did you mean --method?' find "$board" --methods=ccorr "$templ"
wrong 'exactncc find: --METHOD: no such option; did you mean --method?' find --METHOD ccorr "$board" "$templ"
wrong 'exactncc find: --emthod: no such option; did you mean --method?' find --emthod ccorr "$board" "$templ"
wrong 'exactncc find: --meth: no such option; options are written in full; did you mean --method?' find --meth ccorr "$board" "$templ"
wrong 'exactncc find: --meth: no such option; options are written in full; did you mean --method?' find --meth
wrong 'exactncc find: --meth: no such option; options are written in full; did you mean --method?' find "$board" "$templ" --meth=ccorr
wrong 'exactncc find: --min: no such option; options are written in full; did you mean --min-score, --min-distance or --min-valid?' find --min 1
wrong 'exactncc find: --threshold: no such option; did you mean --min-score?' find --threshold 0.5 "$board" "$templ"
wrong 'exactncc find: --gaussian: no such option of exactncc find; convolve has it; see exactncc find --help' find --gaussian 1
wrong 'exactncc find: --nonsense: no such option; see exactncc find --help' find --nonsense=5
wrong 'exactncc find: -method: no such option; did you mean --method?' find -method ccorr "$board" "$templ"

# The culprit is the word at fault, wherever it is and whatever is around it.
for before in '' '-q' '--quiet' '--page 3' "$board $templ"; do
    wrong 'exactncc find: -x: no such option; see exactncc find --help' find $before -x
    wrong 'exactncc find: -x: no such option; see exactncc find --help' find $before -qx
    wrong 'exactncc find: -x: no such option; see exactncc find --help' find $before -qx "$board" "$templ"
    wrong 'exactncc find: -xq: no such option; see exactncc find --help' find $before -xq "$board" "$templ"
    wrong 'exactncc find: --top: needs a value: a whole number 1 .. 1000000000; see exactncc find --help' find $before --top
    wrong 'exactncc find: --top: needs a value, but the option --quiet follows; see exactncc find --help' find $before --top --quiet
    wrong 'exactncc find: --top: needs a value, but the option --page=5 follows; see exactncc find --help' find $before --top --page=5
    wrong 'exactncc find: --quiet: takes no value; see exactncc find --help' find $before --quiet=1 "$board" "$templ"
    wrong 'exactncc find: --top x: must be a whole number 1 .. 1000000000' find $before --top x "$board" "$templ"
    wrong 'exactncc find: --top x: must be a whole number 1 .. 1000000000' find $before "$board" --top=x "$templ"
    wrong 'exactncc correlate: -o : must be a file name' correlate $before -qo '' "$board" "$templ"
    wrong 'exactncc correlate: -o: needs a value: a file name; see exactncc correlate --help' correlate $before -qo
    run 0 find $before -qh
done

# Values.
wrong 'exactncc find: --method ccoef_normed: must be ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage; did you mean ccoeff_normed?' \
    find --method ccoef_normed "$board" "$templ"
wrong 'exactncc find: --method TM_CCORR_NORMED: must be ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage; did you mean ccorr_normed?' \
    find --method=TM_CCORR_NORMED "$board" "$templ"
wrong 'exactncc find: --method ncc: must be ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage; did you mean ccoeff_normed?' \
    find --method ncc "$board" "$templ"
wrong 'exactncc find: --device gpu: must be auto, cpu, cuda, cuda:N, cuda:N,N,... with each device once, or cuda:all; did you mean cuda?' find --device gpu
wrong 'exactncc find: --mode vaild: must be valid, same or full; did you mean valid?' find --mode vaild
wrong 'exactncc find: --border miror: must be clamp, zero, mirror, wrap or overlap; did you mean mirror?' find --border miror
wrong 'exactncc find: --border x: must be clamp, zero, mirror, wrap or overlap' find --border x
wrong 'exactncc find: --page al: must be a page number, counted from 0, a range such as 2-5, or all; did you mean all?' find --page al
wrong 'exactncc convolve: --border clam: must be clamp or zero; did you mean clamp?' convolve --border clam
wrong 'exactncc info: --format jason: must be table or json; did you mean json?' info --format jason

# Help: help COMMAND and COMMAND --help are the same, and no line is wider than a terminal.
for command in find correlate convolve track info; do
    run 0 help $command
    cp out help.txt
    prints "Usage: exactncc $command [options]"
    prints '  -V, --version          print the version'
    for option in --help -h; do
        run 0 $command $option
        holds "$command $option" cmp help.txt out
    done
    holds "$command --help: 80 columns" awk 'length($0) > 80 { print; exit 1 }' out
    for option in --version -V; do
        run 0 $command $option
        holds "$command $option" grep -qx 'exactncc [0-9]*\.[0-9]*\.[0-9]*' out
    done
done
run 0 help
cp out help.txt
holds 'the overview: 80 columns' awk 'length($0) > 80 { print; exit 1 }' out
for option in --help -h 'help help'; do
    run 0 $option
    holds "$option" cmp help.txt out
done
for option in --version -V; do
    run 0 $option
    holds "$option" grep -qx 'exactncc [0-9]*\.[0-9]*\.[0-9]*' out
done

# Everything that --help says, for programs.
if command -v python3 >/dev/null; then
    holds '--help-json' python3 "$TABLE" ${short:+--every 8} "$EXACTNCC" "$EXACTNCC_BENCH"
fi
if [ -w /dev/full ]; then
    for arguments in --help --version help --help-json 'find --help' 'help find' 'info -V'; do
        "$EXACTNCC" $arguments >/dev/full 2>err
        [ $? -eq 1 ] || fail "stdout full: not status 1: $arguments"
        checks=$((checks + 1))
        says 'standard output: cannot write'
    done
fi
finish
