"""Loads task folders with Harbor's own loader. Usage: harbor_tasks.py FOLDER. Prints one line of JSON."""

import json
import sys
import typing
from pathlib import Path

import typing_extensions

# Harbor wants Python 3.12 for its sandboxes; its loader wants this name of it.
typing.override = typing_extensions.override

from harbor.models.task.task import Task  # noqa: E402

tasks = []
for folder in sorted(Path(sys.argv[1]).iterdir()):
    task = Task(folder)
    tasks.append(
        {
            "name": task.name,
            "instruction": task.instruction,
            "image": task.config.environment.docker_image,
        }
    )
print(json.dumps(tasks))
