# SPDX-License-Identifier: BSD-2-Clause
# The tables of exactncc-bench have the columns of a CUDA device: with "cuda" as printed on a device, otherwise as bench_columns prints them
# without one.
. "${0%/*}/lib.sh"
where=$1

# tables FORMAT: prints all tables to the file out.
tables() {
    checks=$((checks + 1))
    if [ "$where" = cuda ]; then
        "$EXACTNCC_BENCH" --quiet --device cuda --tables --size 96x80 --template 8x8 --repeat 1 --batch 3 --format "$1" >out 2>err
        status=$?
        if grep -q '^exactncc-bench: --device cuda:0: ' err; then
            cat err
            exit 77
        fi
    else
        "$HELPERS/bench_columns" "$1" >out 2>err
        status=$?
    fi
    [ "$status" -eq 0 ] || { fail "the tables: status $status"; cat err; }
}

tables csv
grep '[a-z]_[a-z].*,checked$' out >headers
cat >golden <<'END'
width,height,pixel,template_width,template_height,device,kernel,ms,tmac_s,floor_ms,floor_by,ratio,checked
width,height,template_width,template_height,problem,device,kernel,ms,times_u8,checked
filter,width,height,side,kernel,cpu_1_thread_ms,cpu_kernel,cpu_ms,gpu_ms,transfer_ms,speedup,speedup_overall,over_cpu,over_cpu_overall,checked
device,kernel,pixel,width,height,template_width,template_height,ms,ttaps_s,gpixel_s,checked
device,kernel,method,pixel,width,height,template_width,template_height,found,map_ms,ms,call_ms,end_to_end_ms,copy_ms,pinned_copy_ms,rest_ms,over_copy,checked
device,kernel,method,pixel,width,height,template_width,template_height,templates,ms,end_to_end_ms,ms_each,tmac_s,checked
problem,device,memory,pixel,width,height,templates,alone_ms,ms,share,checked
pixel,width,height,template_width,template_height,images,threads,alone_ms,apart_ms,ms,share,over_apart,checked
END
holds 'the headers of all tables, in their order' diff golden headers

tables markdown
holds 'every line of a table has as many bars as its header' awk -F'|' '/^\|/ && n && NF != n { exit 1 } { n = /^\|/ ? NF : 0 }' out
prints '| filter | width | height | side | kernel | cpu_1_thread_ms | cpu_kernel | cpu_ms | gpu_ms | transfer_ms | speedup | speedup_overall | over_cpu | over_cpu_overall | checked |'
prints '|---|---:|---:|---:|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---|'
prints '| found | map_ms | ms | call_ms | end_to_end_ms | copy_ms | pinned_copy_ms | rest_ms | over_copy | checked |'
if [ "$where" = cuda ]; then
    for kernel in conv-global conv-constant conv-cached-halo conv-tiled; do
        [ "$(grep -c "^| g[a-z]* | 96 | 80 | [0-9]* | $kernel | .* | exact |$" out)" -eq 3 ] || { fail "$kernel: not three filters"; cat out; }
    done
    [ "$(grep -c "^| gradient | 96 | 80 | [35] | conv-registers | .* | exact |$" out)" -eq 2 ] || { fail 'conv-registers: not two filters'; cat out; }
fi
finish
