"""Runs evaluations of verifiers, and prints one line of JSON with the reward of each task."""

import asyncio
import json
import os
import sys
import tempfile

# verifiers would download uv, and with uv the packages of the program that calls the model. They are installed already, so
# these stubs avoid the network.
programs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]
# A uv in the home folder would take precedence over the stub.
home = tempfile.TemporaryDirectory()
os.environ["HOME"] = home.name
os.environ.setdefault("MODEL_API_KEY", "unused")

from verifiers.v1.cli.eval.runner import run_eval  # noqa: E402
from verifiers.v1.configs.cli.eval import EvalConfig  # noqa: E402


seat = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}


def evaluate(model: str, env: dict) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        # Older releases run evaluations in separate processes by default.
        in_process = {"serve": None} if "serve" in EvalConfig.model_fields else {}
        config = EvalConfig.model_validate(
            {
                **in_process,
                "env": env,
                "model": "model",
                "client": {"base_url": model, "api_key_var": "MODEL_API_KEY"},
                "rich": None,
                "push": False,
                "output_dir": folder,
            }
        )
        episodes = asyncio.run(run_eval(config))
    traces = [trace for episode in episodes for trace in episode.traces]
    return [
        {
            "name": trace.task.data.name,
            "reward": trace.reward,
            "metrics": trace.metrics,
            "errors": [str(error) for error in trace.errors],
        }
        for trace in traces
    ]


def main(model: str, env: dict) -> None:
    print(json.dumps(evaluate(model, env)))
