#!/usr/bin/env python3
"""Runs all suites of the project: the lit tests, the unit tests, and a while of fuzzing.

Shows what failed. The last line is 'N passed, N failed', with ', N skipped' where something was skipped, summed over all
suites. The exit code is 1 if anything failed or if nothing ran.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

Result = collections.namedtuple("Result", "passed failed skipped output")
LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def run_lit(lit, tests, results):
    """Lit shows its own progress and failures."""
    path = os.path.join(results, "lit.json")
    code = subprocess.run([sys.executable, lit, "-sv", "--output", path, tests]).returncode
    report = load(path)
    if report is None:
        return Result(0, 1, 0, f"lit ended with exit code {code} and without a report\n")
    codes = [test["code"] for test in report["tests"]]
    passed = sum(c in LIT_PASSED for c in codes)
    skipped = sum(c in LIT_SKIPPED for c in codes)
    failed = len(codes) - passed - skipped
    return Result(passed, failed or int(code != 0), skipped, "")


def print_chips(tests):
    """The table of kernels and GPUs of the run before."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "GPU", "Inputs", "chips.py")
    results = os.path.join(tests, "GPU", "Chips", "Output")
    if os.path.isdir(results):
        subprocess.run([sys.executable, script, "--results", results])


def run_gtest(binary, results, limit):
    path = os.path.join(results, os.path.basename(binary) + ".json")
    try:
        run = subprocess.run([binary, "--gtest_brief=1", f"--gtest_output=json:{path}"], timeout=limit, text=True,
                             errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code, output = run.returncode, run.stdout
    except subprocess.TimeoutExpired as error:
        code, output = f"none after {limit} s", (error.stdout or b"").decode(errors="replace")
    except OSError as error:
        code, output = "none", f"{error}\n"
    report = load(path)
    if report is None:
        return Result(0, 1, 0, f"{output}{binary}: no report, exit code {code}\n")
    tests = [test for suite in report["testsuites"] for test in suite["testsuite"]]
    failed = sum("failures" in test for test in tests)
    skipped = sum("failures" not in test and test.get("result") != "COMPLETED" for test in tests)
    # A failure outside of a test, in an environment's set-up for instance, shows in the exit code alone.
    return Result(len(tests) - failed - skipped, failed or int(code != 0), skipped, output if code != 0 else "")


def run_fuzz(tile_opt, seconds, tests):
    """Counts as one test. The fuzzer shows its own progress. The seed is fixed: what passes here passes elsewhere."""
    here = os.path.dirname(os.path.abspath(__file__))
    examples = os.path.join(os.path.dirname(here), "examples")
    seeds = [path for path in [os.path.join(here, "Dialect"), examples] if os.path.isdir(path)]
    code = subprocess.run([sys.executable, os.path.join(here, "fuzz", "mutate.py"), "--tile-opt", tile_opt, "--seconds",
                           str(seconds), "--seed", "1", "--out", os.path.join(tests, "fuzz"), *seeds]).returncode
    return Result(int(code == 0), int(code != 0), 0, "")


def run_ascend_fuzz(tile_opt, tests):
    """Random kernels for the Ascend path, always the same ones."""
    tile_run = os.path.join(os.path.dirname(tile_opt), "tile-run")
    if not os.path.exists(tile_run):
        return Result(0, 0, 1, "")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz", "ascend.py")
    code = subprocess.run([sys.executable, script, "--tile-opt", tile_opt, "--tile-run", tile_run, "--seed", "1", "--count",
                           "32", "--out", os.path.join(tests, "fuzz")]).returncode
    return Result(int(code == 0), int(code != 0), 0, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lit", help="the lit program")
    parser.add_argument("--tests", default=".", help="the build's folder of lit tests")
    parser.add_argument("--tile-opt", help="what is fuzzed")
    parser.add_argument("--fuzz", type=float, default=0, help="seconds of fuzzing")
    parser.add_argument("--gtest", nargs="*", default=[], help="unit test programs")
    parser.add_argument("--limit", type=float, default=900, help="seconds that one unit test program may take")
    args = parser.parse_args()
    total = collections.Counter()

    def add(name, begin, result):
        sys.stdout.write(result.output)
        total.update(passed=result.passed, failed=result.failed, skipped=result.skipped)
        skipped = f", {result.skipped} skipped" if result.skipped else ""
        print(f"[{name}] {result.passed} passed, {result.failed} failed{skipped} ({time.monotonic() - begin:.1f} s)",
              flush=True)

    with tempfile.TemporaryDirectory() as results:
        if args.lit:
            begin = time.monotonic()
            add("lit", begin, run_lit(args.lit, args.tests, results))
            print_chips(args.tests)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            begin = time.monotonic()
            runs = {pool.submit(run_gtest, binary, results, args.limit): binary for binary in args.gtest}
            for run in concurrent.futures.as_completed(runs):
                add(os.path.basename(runs[run]), begin, run.result())
        if args.fuzz > 0:
            begin = time.monotonic()
            add("fuzz", begin, run_fuzz(args.tile_opt, args.fuzz, args.tests))
            begin = time.monotonic()
            add("fuzz ascend", begin, run_ascend_fuzz(args.tile_opt, args.tests))

    skipped = f", {total['skipped']} skipped" if total["skipped"] else ""
    print(f"{total['passed']} passed, {total['failed']} failed{skipped}")
    sys.exit(1 if total["failed"] or not total["passed"] else 0)


main()
