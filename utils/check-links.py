#!/usr/bin/env python3
"""Finds links of the pages that lead nowhere: to files that are not there, and to headings that a page does not have.

usage: check-links.py [ROOT]

Links to other machines are left alone. Prints 'FILE:LINE: …' for each; exit code 1 if there is one, or if there is no page.
"""
import os
import re
import sys

LINK = re.compile(r"(?<!!)\[(?:[^\]`]|`[^`]*`)*\]\(([^)\s]+)\)")
SKIPPED = {"build", ".git", ".cache"}


def find_pages(root):
    """The Markdown files below a folder, but those of builds."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def read_text(path):
    """The lines of a page with their numbers, without blocks of code."""
    inside = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                yield number, line


def read_links(path):
    """The links of a page with the numbers of their lines."""
    for number, line in read_text(path):
        for match in LINK.finditer(line):
            yield number, match.group(1)


def read_anchors(path):
    """What `#…` may name on a page, as GitHub and the site make it of headings."""
    seen = {}
    for _, line in read_text(path):
        match = re.match(r"#+\s+(.*?)\s*#*$", line)
        if not match:
            continue
        anchor = re.sub(r"[^\w\- ]", "", match.group(1).lower()).strip().replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        yield f"{anchor}-{count}" if count else anchor


def check_link(page, link):
    """What is wrong with a link; nothing if it leads somewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(target):
        return f"'{link}' does not exist"
    if anchor and target.endswith(".md") and anchor not in set(read_anchors(target)):
        return f"'{link}': the page has no such heading"
    return None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    pages = list(find_pages(root))
    if not pages:
        sys.exit(f"no page in '{root}'")
    problems = 0
    for page in pages:
        for number, link in read_links(page):
            problem = check_link(page, link)
            if problem:
                problems += 1
                print(f"{os.path.relpath(page, root)}:{number}: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
