# SPDX-License-Identifier: Apache-2.0
# ./lode check: all tests, in a normal and in sanitized builds, and checks that are not tests of code: layout, size,
# installation. The last line counts the results.

passed=0
failed=()
skipped=()
evidence= # the output of failed checks

result_pass() { passed=$((passed + 1)); }
# result_fail NAME [output]: shown at once, and again at the end.
result_fail() {
    local shown
    shown=$(printf '  ---- %s ----\n' "$1"; [ -z "${2:-}" ] || tail -n 40 <<<"$2" | sed 's/^/  | /')
    say "$shown"
    failed+=("$1")
    evidence+=$shown$'\n'
}
result_skip() { skipped+=("$1: $2"); }

setup_check() {
    need build tests wheels opencl
    [ "$(uname -m)" != x86_64 ] || need gpus
    need_wheels "$wheels_runtimes" || say "  no OpenCL and SYCL from wheels: tests that need them are skipped"
    need_wheels "$wheels_peer" || say "  no reference library: tests that compare with it are skipped"
    use_runtimes
}

# promise NAME command...: one check with its own log; status 77 means that it was skipped, and the last line says why.
promise() {
    local name=$1 log=$LODE_HOME/log/check-$1.log status=0 start=$SECONDS
    shift
    mkdir -p "$LODE_HOME/log"
    "$@" >"$log" 2>&1 || status=$?
    case $status in
    0) result_pass; printf '  %-44s %4d s\n' "$name" $((SECONDS - start)) ;;
    77) result_skip "$name" "$(tail -n 1 "$log")" ;;
    *) result_fail "$name" "$(cat "$log")" ;;
    esac
}

# The result of each test in ctest's output: "name|word", where the word is Passed, Skipped, Failed, Timeout …
ctest_words() {
    sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.*( |\*\*\*)*([A-Z][a-z]+( Run)?( \(Disabled\))?).*/\1|\3/p' "$1"
}

# The output of one test, from ctest's full log.
ctest_output() {
    awk -v name="$2" '
        $0 ~ "^[0-9]+/[0-9]+ Test: " { inside = (substr($0, index($0, ": ") + 2) == name); body = 0; next }
        inside && /^<end of output>/ { exit }
        inside && body { if (!/^-+$/) print }
        inside && /^Output:/ { body = 1 }' "$1"
}

# Cases that a passing program skipped: each "SKIP: why" with the name that cmocka prints after it, if any. cmocka's
# closing list repeats the names without a reason; those are ignored.
ctest_partial_skips() {
    awk '
        function flush() { if (why != "") print why; why = "" }
        /^SKIP: / { flush(); why = substr($0, 7); next }
        /^\[ +SKIPPED +\] [A-Za-z_][^ ]*$/ {
            if (seen[$NF]++) { flush(); next }
            print $NF (why == "" ? "" : " (" why ")")
            why = ""
        }
        END { flush() }' <<<"$1"
}

# Counts the results of one ctest run. collect PREFIX FOLDER LOG
collect() {
    local prefix=$1 full=$2/Testing/Temporary/LastTest.log log=$3 name word output line seen=0
    while IFS='|' read -r name word; do
        seen=$((seen + 1))
        output=$(ctest_output "$full" "$name")
        case $word in
        Passed)
            result_pass
            while read -r line; do
                [ -z "$line" ] || result_skip "$prefix$name" "$line"
            done <<<"$(ctest_partial_skips "$output")"
            ;;
        Skipped) result_skip "$prefix$name" "$(sed -nE 's/^SKIP: (.*)/\1/p' <<<"$output" | head -n 1)" ;;
        "Not Run (Disabled)") result_skip "$prefix$name" "disabled" ;;
        *) result_fail "$prefix$name: $word" "$output" ;;
        esac
    done < <(ctest_words "$log")
    [ $seen -gt 0 ] || result_fail "${prefix}ctest (ran nothing)"
}

# suite PREFIX FOLDER ctest options...: runs and counts the tests of a build folder.
suite() {
    local prefix=$1 folder=$2 log=ctest-$2 step_tail=0
    shift 2
    step "Testing $folder" "$log" ctest --test-dir "$folder" -j "$LODE_JOBS" --timeout 600 --no-tests=error "$@" || true
    collect "$prefix" "$folder" "$LODE_HOME/log/$log.log"
}

# built NAME FOLDER options...: configures and compiles all targets, or $targets; a failure counts as a failed check.
built() {
    local name=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086
    if step "Configuring $folder" "configure-$folder" configure "$folder" "$@" &&
        step "Building $folder" "build-$folder" compile "$folder" ${targets:-}; then
        result_pass
    else
        result_fail "$name"
        return 1
    fi
}

check_format() {
    command -v clang-format-22 >/dev/null || { echo "clang-format-22 is not installed"; return 77; }
    find include src tools examples tests bench \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.cl' \) -print0 |
        xargs -0 clang-format-22 --dry-run -Werror
}

# Every setting that the code reads is documented.
check_documented() {
    local name missing=0
    while read -r name; do
        grep -qF "$name" docs/environment.md || { echo "docs/environment.md does not know $name"; missing=1; }
    done < <(grep -rhoE '\bgetenv\("[A-Z0-9_]+"\)' src | sed -E 's/.*"(.*)".*/\1/'
        grep -rhoE '\benv_(get|int)\("[A-Z0-9_]+"' src | sed -E 's/.*"(.*)"/ONEDNN_\1/')
    return $missing
}

# Tests with several threads: only these run under ThreadSanitizer.
thread_tests=(base.pool core.cache core.execute api.gemm runtimes.level_zero_stress runtimes.conformance)

check_size() { bench/size.sh build/lib/libdnnl.so.3 12000000; }

check() {
    local start=$SECONDS
    . tools/shell/try.sh
    . tools/shell/package.sh
    setup_check
    local wheels sanitizers spirv=() common=(-DONEDNN_BUILD_TESTS=ON -DONEDNN_BUILD_EXAMPLES=ON -DLODE_WERROR=ON)
    mapfile -t wheels < <(wheel_options)
    mapfile -t sanitizers < <(sanitizer_options)

    promise format check_format
    promise documented check_documented
    if built build build "${common[@]}" "${wheels[@]}"; then
        spirv=("-DLODE_SPIRV_FROM=$LODE_ROOT/build") # which sanitizers do not change
        suite "" build
        promise size check_size
        promise paddle check_paddle
        promise packages check_packages
    else
        result_skip "tests, size" "the build failed"
    fi

    # The static library is built by make, in parallel, so that the other generator is tested too.
    if CMAKE_GENERATOR="Unix Makefiles" built build-static build-static-make \
        -DONEDNN_LIBRARY_TYPE=STATIC -DONEDNN_BUILD_TESTS=OFF -DONEDNN_BUILD_EXAMPLES=OFF; then
        promise install-static tests/install/run.sh build-static-make
    else
        result_skip install-static "the build failed"
    fi

    # Leaks and undefined behaviour of our own code and kernels, without the reference library and foreign runtimes.
    if built build-asan build-clang-asan "${common[@]}" "${sanitizers[@]}" "${spirv[@]}" -DLODE_SANITIZE=address,undefined \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo; then
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1 \
            OCL_ICD_VENDORS=/nonexistent ZE_ENABLE_ALT_DRIVERS=/nonexistent suite asan: build-clang-asan -LE "slow|peer|install"
    else
        result_skip "sanitized tests" "the build failed"
    fi

    # Races, in the library and in the driver for the CPU.
    if targets="${thread_tests[*]/#/test_}" built build-tsan build-clang-tsan "${common[@]}" "${sanitizers[@]}" "${spirv[@]}" \
        -DLODE_SANITIZE=thread -DCMAKE_BUILD_TYPE=RelWithDebInfo; then
        OCL_ICD_VENDORS=/nonexistent ZE_ENABLE_ALT_DRIVERS=/nonexistent \
            suite tsan: build-clang-tsan -R "^($(IFS='|'; echo "${thread_tests[*]}"))\$"
    else
        result_skip "tests for races" "the build failed"
    fi

    say
    say "Took $(((SECONDS - start + 59) / 60)) minutes."
    [ ${#skipped[@]} = 0 ] || { say "Skipped:"; printf '  %s\n' "${skipped[@]}"; }
    [ ${#failed[@]} = 0 ] || { say "Failed:"; printf '%s' "$evidence"; }
    say "$passed passed, ${#failed[@]} failed, ${#skipped[@]} skipped"
    [ ${#failed[@]} = 0 ]
}
