"""Compiles programs, and reads configurations. Usage: programs.py FILE... Prints one line of JSON: what YAML holds."""

import json
import sys

import yaml

read = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".py"):
        compile(text, path, "exec")
    else:
        read[path.rsplit("/", 1)[-1]] = yaml.safe_load(text)
print(json.dumps(read))
