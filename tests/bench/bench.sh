# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Benchmarks: ./dev bench, which reads this.

bench_wake() {
    # shellcheck disable=SC2086
    need $packages_wake
    build
    /usr/bin/python3 "$root/tests/bench/wake.py" "$root/build/cli/billow" "$root/out/wake" "$@"
}

bench_ranks() {
    # shellcheck disable=SC2086
    need $packages_build $packages_bench
    build
    meson compile -C "$root/build" partition
    python3 "$root/tests/bench/ranks/scaling.py" "$root/build/cli/billow" "$root/build/tests/bench/partition" \
        "$root/out/ranks" "$@"
}

bench_cycles() {
    # shellcheck disable=SC2086
    need $packages_build $packages_cycles
    build
    /usr/bin/python3 "$root/tests/bench/cycles.py" "$root/build/cli/billow" "$root/out/cycles" "$@"
}

bench_frame() {
    build
    meson compile -C "$root/build" bench_render >/dev/null
    "$root/build/tests/bench/bench_render"
    if command -v blender >/dev/null; then
        /usr/bin/python3 "$root/tests/bench/cycles.py" "$root/build/cli/billow" "$root/out/frame" \
            smoke128:20 fire128:20 --percent 25
    fi
}

bench_pictures() {
    build
    python3 "$root/tests/bench/pictures.py" "$root/build/cli/billow" "$root/out/pictures" "$@"
}

bench_vortices() {
    # shellcheck disable=SC2086
    need $packages_build python3 python3-numpy python3-pil
    build
    /usr/bin/python3 "$root/tests/bench/vortices.py" "$root/out/vortices" "$@"
}

bench_voxel() {
    # shellcheck disable=SC2086
    need $packages_build python3 python3-numpy python3-matplotlib
    build
    /usr/bin/python3 "$root/tests/bench/voxel.py" "$root/build/cli/billow" "$root/out/voxel" "$@"
}

bench_shot() {
    # shellcheck disable=SC2086
    need $packages_build $packages_cycles
    build
    /usr/bin/python3 "$root/tests/bench/shot.py" "$root/build/cli/billow" "$root/build/hosts/blender/billow_addon.zip" \
        "$root/out/shot" "$@"
}

bench_page() {
    # shellcheck disable=SC2086
    need $packages_build $packages_page
    build
    /usr/bin/python3 "$root/tests/bench/page.py" "$root/build/cli/billow" "$root/out/bench_page" "$@"
}

# Those of the build, or the one that is named.
run_bench() {
    local which=${1:-}
    case $which in
    wake | ranks | cycles | frame | pictures | page | shot | voxel | vortices)
        shift
        "bench_$which" "$@"
        return
        ;;
    esac
    # shellcheck disable=SC2086
    need $packages_build $packages_bench
    configure_tests build
    # Configured before hypre was there: the comparison is not in it yet.
    meson introspect --targets "$root/build" | grep -q '"hypre_solve"' ||
        meson setup --reconfigure "$root/build" "$root" >/dev/null
    compile build || die "the build failed"
    say "benchmarks; nothing else should run now"
    [ "${1:-}" != table ] || exec "$root/tests/bench/table.sh" "$root/build"
    if [ "${1:-}" = --long ]; then
        shift
        PEER_LONG=1 meson test -C "$root/build" --benchmark --verbose --timeout-multiplier 4 "$@"
    else
        meson test -C "$root/build" --benchmark --verbose "$@"
    fi
}
