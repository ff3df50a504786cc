# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Every test, with the seconds of each part: ./dev test, which reads this.

lapped=0 # SECONDS at the last lap
parts=() # "SECONDS WHAT", as they came
hung=()  # tests that ran twice
passed=0
failed=0

# lap WHAT: what was done since the last lap, or since the start, with its seconds
lap() {
    parts+=("$((SECONDS - lapped)) $1")
    say "$1 ($((SECONDS - lapped)) s)"
    lapped=$SECONDS
}

# count PASSED FAILED WHAT
count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
    lap "$3: $1 passed, $2 failed"
}

# Parts that took a second at least, and all of it.
table() {
    local part
    for part in "${parts[@]}"; do
        [ "${part%% *}" = 0 ] || printf '%6d s  %s\n' "${part%% *}" "${part#* }"
    done
    printf '%6d s  all\n' "$SECONDS"
}

# check WHAT COMMAND…: one test; its output shows when it fails.
check() {
    local what=$1 log
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then count 1 0 "$what"
    else tail -40 "$log" >&2; count 0 1 "$what"; fi
    rm -f "$log"
}

# run_tests WHAT DIR ARGS…: `meson test`; single cases are counted from the log, sanitizer reports are failures.
run_tests() {
    local what=$1 dir=$2 result
    shift 2
    say "testing: $what"
    rm -f "$root/$dir/meson-logs/testlog.json"
    # One more than there are cores: some wait for a browser or a clock.
    meson test -C "$root/$dir" --no-rebuild --num-processes $(($(nproc) + 1)) "$@" >"$root/$dir/dev.log" 2>&1 </dev/null
    [ "$dir" != build-asan ] || hung_again "$dir"
    result=$(python3 "$root/tests/cli/count.py" "$root/$dir/meson-logs/testlog.json")
    # shellcheck disable=SC2086
    count ${result:-0 1} "$what"
}

# hung_again DIR: under ASan Criterion's first fork may catch OpenVDB's logging threads, which start with the program,
# inside the allocator, and its child then waits for ever. So what ran into its time runs a second time, which counts.
# Under ASan alone: a deadlock of ours would come back elsewhere.
hung_again() {
    local logs="$root/$1/meson-logs" names
    names=$(sed -n '/"result": "TIMEOUT"/s/.*"name": "[^"]* \/ \([^"]*\)".*/\1/p' "$logs/testlog.json" 2>/dev/null)
    [ -n "$names" ] || return 0
    say "ran into their time, once more: $names"
    # shellcheck disable=SC2206
    hung+=($names)
    # shellcheck disable=SC2086
    meson test -C "$root/$1" --no-rebuild --logbase again $names >>"$root/$1/dev.log" 2>&1 </dev/null
    sed -i '/"result": "TIMEOUT"/d' "$logs/testlog.json"
    cat "$logs/again.json" >>"$logs/testlog.json"
}

# Criterion passes although LeakSanitizer reports a leak: a test that leaks proves that count.py does not.
leak_is_noticed() {
    local dir
    dir=$(mktemp -d)
    clang -g -fsanitize=address "$root/tests/cli/leak.c" -o "$dir/leak" -lcriterion || return 1
    ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0 "$dir/leak" >"$dir/out" 2>&1
    python3 "$root/tests/cli/count.py" --text "$dir/out" >"$dir/result"
    cat "$dir/out" "$dir/result"
    local verdict
    read -r _ verdict <"$dir/result"
    rm -rf "$dir"
    [ "${verdict:-0}" -gt 0 ]
}

headers_compile() {
    local header
    for header in "$root"/core/include/billow/*.h; do
        "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers -Wno-unused-function \
            -I "$root/core/include" "$header" || return 1
    done
}

sources_formatted() { sources | xargs clang-format --dry-run -Werror; }

headers_test() {
    check "headers as C99" headers_compile gcc -std=c99 -x c
    check "headers as C17, clang" headers_compile clang -std=c17 -x c
    check "headers as C++11" headers_compile g++ -std=c++11 -x c++
    check "headers as C++17, clang" headers_compile clang++ -std=c++17 -x c++
}

# Sanitizers call dlopen themselves, for whom the paths that a module has to these libraries are none.
late_libraries() { printf %s "$1/picture/movie:$1/plugins/common/openvdb:$1/hosts/web"; }

# ThreadSanitizer: Criterion does not start under it, so plain-main tests and the program itself.
tsan_test() {
    configure build-tsan -Dtests=plain -Db_sanitize=thread -Db_lundef=false -Dbuildtype=debugoptimized -Dc_args=-g1 \
        -Dcpp_args=-g1 -Dopenvdb_from="$root/build-gcc"
    compile build-tsan || { count 0 1 "building build-tsan"; return; }
    lap "build, TSan"
    LD_LIBRARY_PATH=$(late_libraries "$root/build-tsan")
    export LD_LIBRARY_PATH
    export TSAN_OPTIONS="exitcode=66 suppressions=$root/tests/cli/tsan.txt"
    run_tests "plain tests, TSan" build-tsan --suite plain --timeout-multiplier 10
    local out
    out=$(mktemp -d)
    check "a bake on 2 threads, TSan" "$root/build-tsan/cli/billow" bake smoke_2d --quick --threads 2 \
        --frames 1-4 --set time.warmup=4 --out "$out/smoke_2d"
    check "VDB, PNG and a rendered movie on 2 threads, TSan" "$root/build-tsan/cli/billow" bake \
        "$root/tests/interop/box.yaml" --threads 2 --out "$out/box"
    rm -rf "$out"
    unset TSAN_OPTIONS LD_LIBRARY_PATH
}

asan_test() {
    # By clang: a second compiler's warnings and sanitizers in one build. Of its programs lld links three while ld links
    # one. UBSan traps instead of telling: half the time to build, a third to run; ASan's report of the signal names the
    # function.
    CC=clang CXX=clang++ CC_LD=lld CXX_LD=lld configure_tests build-asan -Dwerror=true \
        -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debugoptimized \
        -Dc_args="-g1 -fsanitize-undefined-trap-on-error" -Dcpp_args=-g1 -Dopenvdb_from="$root/build-gcc"
    compile build-asan || { count 0 1 "building build-asan"; return; }
    count 1 0 "build with clang, ASan and UBSan, no warning"
    check "the rest, clang: no warning" "$root/tests/cli/rest.py" "$root/build-gcc" "$root/build-asan" clang clang++
    # The search for leaks crashes over variables of threads in libraries that are loaded late, unless it leaves them
    # out.
    export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:intercept_tls_get_addr=0:handle_sigill=2"
    export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
    export LSAN_OPTIONS="suppressions=$root/tests/cli/lsan.txt:print_suppressions=0"
    export BILLOW_TEST_SHORT=1
    LD_LIBRARY_PATH=$(late_libraries "$root/build-asan")
    export LD_LIBRARY_PATH
    run_tests "tests, ASan and UBSan" build-asan --no-suite interop --timeout-multiplier 1.5
    check "a leak is noticed" leak_is_noticed
    unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS BILLOW_TEST_SHORT LD_LIBRARY_PATH
}

test_fast() {
    # shellcheck disable=SC2086
    need $packages_build libcriterion-dev python3
    configure_tests build
    compile build || die "the build failed"
    run_tests "tests" build --suite unit --suite physics --suite cli
}

test_all() {
    # shellcheck disable=SC2086
    need $packages_build $packages_test
    # shellcheck disable=SC2086
    need_npm $packages_npm
    configure_tests build-gcc -Dwerror=true
    lap "packages, configuring"
    compile build-gcc || die "the build with gcc failed"
    lap "build with gcc, no warning"
    run_tests "tests, gcc" build-gcc
    headers_test
    check "files as clang-format lays them out" sources_formatted
    say "testing: plugin SDK"
    local good bad
    read -r good bad < <("$root/tests/plugin_sdk/run.sh" "$root" "$root/build-gcc" |
        sed -n 's/ passed, / /; $s/ failed//p')
    count "${good:-0}" "${bad:-1}" "plugin SDK"
    asan_test
    tsan_test
}

test_farm() {
    # shellcheck disable=SC2086
    need $packages_build $packages_farm
    configure build
    compile build || die "the build failed"
    local log good bad
    log=$(mktemp)
    "$root/tests/farm/farm.sh" "$root/build/cli/billow" "$root" | tee "$log"
    read -r good bad < <(sed -n '$s/ passed, / /; $s/ failed//p' "$log")
    count "${good:-0}" "${bad:-1}" "a farm of two nodes"
    rm -f "$log"
}

run_test() {
    case "${1:-}" in
    --fast) test_fast ;;
    farm) test_farm ;;
    "") test_all ;;
    *) die "test knows --fast and farm only, not $1" ;;
    esac
    table
    [ ${#hung[@]} = 0 ] || printf 'ran into their time under ASan, and once more: %d: %s\n' "${#hung[@]}" "${hung[*]}"
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

