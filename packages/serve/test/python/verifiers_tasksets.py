"""Evaluates models with verifiers' tasksets for NeMo Gym and OpenEnv, in one process, since its start takes seconds.

Usage: verifiers_tasksets.py EVALUATIONS. EVALUATIONS is JSON: the model, the taskset and the seat of each.
Prints one line of JSON with the rewards of each evaluation.
"""

import json
import sys

from verifiers_eval import evaluate, seat

print(
    json.dumps(
        [
            evaluate(evaluation["model"], {"taskset": evaluation["taskset"], evaluation["seat"]: seat})
            for evaluation in json.loads(sys.argv[1])
        ]
    )
)
