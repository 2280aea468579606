#!/usr/bin/env python3
"""Builds and tests the compiler without one target, whose folders are moved away and come back afterwards.

usage: check-without-target.py [--build FOLDER] [--goals NAME,...] [--filter REGEX] [--filter-out REGEX] TARGET|rotate

The targets and their folders are those of cmake/targets.txt; 'rotate' takes another one each day. The build folder is one that
a plain build has filled: what does not depend on the target is not compiled again, and what depends on it without being part of
it fails, since its headers are gone. --filter and --filter-out are lit's, and --goals are what is built in place of everything.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARENTS = ["include/Tile", "lib", "test", "unittests"]
# Folders of a target that have no counterpart in lib.
OTHERS = {"Ascend": ["model/ascend", "unittests/AscendModel"]}


def read_targets():
    with open(os.path.join(ROOT, "cmake", "targets.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: row[1:] for row in rows}


def move(folders, source, destination):
    for folder in folders:
        if os.path.exists(os.path.join(source, folder)):
            os.makedirs(os.path.dirname(os.path.join(destination, folder)), exist_ok=True)
            shutil.move(os.path.join(source, folder), os.path.join(destination, folder))


def run(*command):
    print("+", " ".join(command), flush=True)
    subprocess.run(command, cwd=ROOT, check=True)


def check(build, goals, filters):
    run("cmake", "-S", ".", "-B", build)
    run("cmake", "--build", build, "--target", *goals.split(","))
    with open(os.path.join(ROOT, build, "CMakeCache.txt"), encoding="utf-8") as cache:
        lit = next(line.strip().split("=", 1)[1] for line in cache if line.startswith("TILE_LIT:"))
    run(sys.executable, lit, "-s", os.path.join(build, "test"), *filters)
    for name in sorted(os.listdir(os.path.join(build, "unittests"))):
        path = os.path.join(build, "unittests", name)
        if name.endswith("Tests") and os.access(path, os.X_OK) and not os.path.isdir(path):
            run(path, "--gtest_brief=1")


def main():
    targets = read_targets()
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("target", choices=list(targets) + ["rotate"])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--goals", default="check-tile-build")
    parser.add_argument("--filter")
    parser.add_argument("--filter-out")
    options = parser.parse_args()
    filters = [f"--{name}={pattern}" for name, pattern in [("filter", options.filter), ("filter-out", options.filter_out)] if pattern]
    name = options.target
    if name == "rotate":
        name = list(targets)[int(time.time()) // 86400 % len(targets)]
    print("without the target", name)
    folders = [f"{parent}/{folder}" for parent in PARENTS for folder in targets[name]] + OTHERS.get(name, [])
    away = os.path.join(ROOT, options.build, "away")
    if os.path.exists(away):
        sys.exit(f"{away} is there: an earlier run has not put the folders back")
    # A signal is an exception, so that the folders come back.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        move(folders, ROOT, away)
        check(options.build, options.goals, filters)
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed without the target {name}: {error}")
    finally:
        move(folders, away, ROOT)
        shutil.rmtree(away, ignore_errors=True)
    run("cmake", "-S", ".", "-B", options.build)


if __name__ == "__main__":
    main()
