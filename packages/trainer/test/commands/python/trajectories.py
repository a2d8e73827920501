"""Validates trajectories with Harbor's own validator. Usage: trajectories.py FOLDER. Prints the errors of each file as one line of JSON."""

import json
import sys
import typing
from pathlib import Path

import typing_extensions

# Harbor wants Python 3.12 for its sandboxes; its models want this name of it.
typing.override = typing_extensions.override

from harbor.utils.trajectory_validator import TrajectoryValidator  # noqa: E402

errors = {}
for path in sorted(Path(sys.argv[1]).glob("*.json")):
    validator = TrajectoryValidator()
    validator.validate(path)
    errors[path.name] = validator.get_errors()
print(json.dumps(errors))
