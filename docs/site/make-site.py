#!/usr/bin/env python3
"""Makes a site with a search of the pages of the repository, by MkDocs.

usage: make-site.py MKDOCS BUILD

The site is BUILD/site; it loads nothing from elsewhere, and can be read from the disk. Pages lie in it as in the repository. A
source file that a page links to becomes a page of its own, and so does a folder, as a list of its files; what those hold is then
found by the search, too. A link that leads nowhere is an error.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ITEM = re.compile(r" ? ?([-*]|\d+\.) ")

spec = importlib.util.spec_from_file_location("links", os.path.join(ROOT, "utils", "check-links.py"))
links = importlib.util.module_from_spec(spec)
spec.loader.exec_module(links)


def find_target(page, link):
    """The file or folder of the repository that a link names, or nothing; and the part behind '#'."""
    path, mark, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", link):
        return None, ""
    return os.path.normpath(os.path.join(os.path.dirname(page), path)), mark + anchor


def get_page(target):
    """The page of the site for a file or folder of the repository."""
    path = os.path.join(ROOT, target)
    if os.path.isdir(path):
        readme = os.path.join(target, "README.md")
        return readme if os.path.exists(os.path.join(ROOT, readme)) else os.path.join(target, "files.md")
    return target if target.endswith(".md") else target + ".md"


def list_folder(folder):
    """A page that lists the files of a folder."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", folder], check=True, text=True, stdout=subprocess.PIPE).stdout.split()
    lines = [f"- [{os.path.relpath(name, folder)}]({os.path.relpath(name, folder)})" for name in names]
    return f"# {folder}\n\n" + "\n".join(lines) + "\n"


def show_file(name):
    """A page that shows a source file."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        text = file.read()
    fence = "`" * max([3] + [len(run) + 1 for run in re.findall("`{3,}", text)])
    return f"# {os.path.basename(name)}\n\n`{name}`\n\n{fence}\n{text}{fence}\n"


def read_page(page):
    """The text of a page of the site, of whichever kind."""
    if os.path.exists(os.path.join(ROOT, page)):
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            return file.read()
    return list_folder(os.path.dirname(page)) if page.endswith("/files.md") else show_file(page[:-len(".md")])


def stage(folder):
    """Writes the pages, with links to pages in place of links to sources, and what is linked."""
    pages = [os.path.relpath(page, ROOT) for page in links.find_pages(ROOT)]
    pages = [page for page in pages if not page.startswith(".")]
    for page in pages:

        def replace(match):
            target, anchor = find_target(page, match.group(1))
            if target is None or not os.path.exists(os.path.join(ROOT, target)):
                return match.group(0)
            if get_page(target) not in pages:
                pages.append(get_page(target))
            link = os.path.relpath(get_page(target), os.path.dirname(page)) + anchor
            return match.group(0).replace(f"({match.group(1)})", f"({link})")

        text, inside, before = [], False, ""
        for line in read_page(page).splitlines(True):
            fence = line.lstrip().startswith("```")
            if not fence and not inside:
                line = links.LINK.sub(replace, line)
                # Unlike GitHub, MkDocs wants a blank line before a list.
                if ITEM.match(line) and before.strip() and not before.startswith(" ") and not ITEM.match(before):
                    line = "\n" + line
            text.append(line)
            before = line.lstrip("\n")
            inside ^= fence
        path = os.path.join(folder, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(text))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    mkdocs, build = sys.argv[1], os.path.abspath(sys.argv[2])
    pages, site = os.path.join(build, "site-pages"), os.path.join(build, "site")
    shutil.rmtree(pages, ignore_errors=True)
    stage(pages)
    config = os.path.join(build, "mkdocs.yml")
    with open(os.path.join(HERE, "mkdocs.yml"), encoding="utf-8") as file:
        text = file.read()
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"{text}docs_dir: {pages}\nsite_dir: {site}\n")
    sys.exit(subprocess.run([mkdocs, "build", "--strict", "--quiet", "--clean", "-f", config]).returncode)


main()
