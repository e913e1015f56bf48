#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Links a program for another processor and makes it run here: the program becomes NAME.foreign, and NAME a script that starts the emulator
# on it. So tests can call it as any other program. CMake calls this in front of the linker (cmake/DebianCross.cmake).
#
#   emulated_link.sh "EMULATOR AND ITS OPTIONS" COMPILER ARGUMENTS...
emulator=$1
shift
"$@" || exit
out=
last=
for word; do
    [ "$last" != -o ] || out=$word
    [ "$word" != -shared ] || exit 0
    last=$word
done
[ -n "$out" ] && [ "$(head -c 4 "$out" | tail -c 3)" = ELF ] || exit 0
mv "$out" "$out.foreign"
# shellcheck disable=SC2016 # the script's own $0 and $@
printf '#!/bin/sh\nexec %s "$0.foreign" "$@"\n' "$emulator" >"$out"
chmod +x "$out"
