"""Evaluates a model with verifiers' taskset for OpenEnv: <server> <model> <environment> <resets as JSON>"""

import json
import sys

from verifiers_eval import main, seat

server, model, environment, resets = sys.argv[1:]
main(
    model,
    {
        "taskset": {
            "id": "openenv",
            "base_url": f"{server}/{environment}",
            "resets": json.loads(resets),
        },
        "player": seat,
    },
)
