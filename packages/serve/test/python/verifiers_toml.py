"""Evaluates a model with verifiers on the environment of a prime-rl configuration. Usage: verifiers_toml.py RL_TOML MODEL"""

import os
import sys
import tomllib

from verifiers_eval import main

configuration, model = sys.argv[1:]
with open(configuration, "rb") as file:
    [source] = tomllib.load(file)["orchestrator"]["train"]["source"]
# Paths of rows are relative to the configuration.
os.chdir(os.path.dirname(configuration))
main(model, source["env"])
