"""Prints a program with each line `// repeat COUNT: TEXT` written COUNT times, `{n}` being 1, 2 … in it and `{m}` one less."""
import re
import sys

with open(sys.argv[1]) as file:
    for line in file:
        if repeated := re.match(r"\s*// repeat (\d+): (.*)", line):
            for n in range(1, int(repeated[1]) + 1):
                print(repeated[2].replace("{n}", str(n)).replace("{m}", str(n - 1)))
        else:
            print(line, end="")
