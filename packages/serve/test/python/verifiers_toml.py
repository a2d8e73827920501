"""Evaluates a model on the environment of a configuration of prime-rl, with verifiers: <rl.toml> <model>"""

import os
import sys
import tomllib

from verifiers_eval import main

configuration, model = sys.argv[1:]
with open(configuration, "rb") as file:
    [source] = tomllib.load(file)["orchestrator"]["train"]["source"]
# Rows are named as they lie: beside the configuration.
os.chdir(os.path.dirname(configuration))
main(model, source["env"])
