#!/bin/sh
# usage: install-mkdocs.sh FOLDER
# Makes a virtual environment of Python with MkDocs, for `make docs`.
set -eu
folder=$1
"$folder/bin/mkdocs" --version >/dev/null 2>&1 && exit 0
python3 -m venv "$folder"
exec "$folder/bin/pip" install --quiet --disable-pip-version-check mkdocs==1.6.1
