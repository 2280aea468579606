"""Writes the C and Python programs of a page, what they print, and its table of options to a folder.

usage: c-programs.py PAGE FOLDER
"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
for language, ending in [("c", "text"), ("python", "python.text")]:
    programs = re.findall(rf"```{language}\n(.*?)```.*?```text\n(.*?)```", page, flags=re.S)
    for number, (program, text) in enumerate(programs, 1):
        for name, content in [(language, program), (ending, text)]:
            with open(f"{sys.argv[2]}/{number}.{name}", "w", encoding="utf-8") as file:
                file.write(content)
with open(f"{sys.argv[2]}/options.text", "w", encoding="utf-8") as file:
    for name, value in re.findall(r"^\| `([a-z-]+)` \| (.*?) ?\|", page, flags=re.M):
        file.write(f"{name}={value.strip('`')}\n")
