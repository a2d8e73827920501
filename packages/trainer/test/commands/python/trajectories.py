"""Validates the trajectories of a folder, or those of a job and its results, with Harbor's own code. Usage: trajectories.py FOLDER.

Prints the errors of each file as one line of JSON.
"""

import json
import sys
import typing
from pathlib import Path

import typing_extensions

# Harbor wants Python 3.12 for its sandboxes; its models want these names of it.
typing.override = typing_extensions.override
typing.TypedDict = typing_extensions.TypedDict

from harbor.models.trial.result import TrialResult  # noqa: E402
from harbor.utils.trajectory_validator import TrajectoryValidator  # noqa: E402

errors = {}
folder = Path(sys.argv[1])
for path in sorted(folder.glob("**/*.json")):
    name = str(path.relative_to(folder))
    if path.name == "result.json":
        result = TrialResult.model_validate_json(path.read_text())
        errors[name] = [] if result.trial_name == path.parent.name else [result.trial_name]
        continue
    validator = TrajectoryValidator()
    validator.validate(path)
    errors[name] = validator.get_errors()
print(json.dumps(errors))
