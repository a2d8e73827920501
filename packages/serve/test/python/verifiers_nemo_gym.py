"""Evaluates a model on rows with verifiers' taskset for NeMo Gym: <server> <model> <environment> <rows.jsonl>"""

import sys

from verifiers_eval import main, seat

server, model, environment, rows = sys.argv[1:]
main(
    model,
    {
        "taskset": {
            "id": "nemo-gym",
            "dataset": rows,
            "task": {"resources_url": f"{server}/nemo/{environment}"},
        },
        "agent": seat,
    },
)
