"""Evaluates models with verifiers' tasksets for NeMo Gym and OpenEnv, in one process: it takes seconds to start.

Usage: verifiers_tasksets.py EVALUATIONS, which are JSON: of each its model, its taskset, and who plays.
Prints one line of JSON: of each evaluation what each task was worth.
"""

import json
import sys

from verifiers_eval import evaluate, seat

print(
    json.dumps(
        [
            evaluate(each["model"], {"taskset": each["taskset"], each["seat"]: seat})
            for each in json.loads(sys.argv[1])
        ]
    )
)
