"""The conversations of chatter.ts with verifiers: python chatter_verifiers.py <base URL> <concurrency> <rollouts>."""

import asyncio
import json
import logging
import os
import resource
import sys
import time

import verifiers.legacy as vf
from datasets import Dataset
from verifiers.legacy.types import ClientConfig

TURNS = 4


class Chatter(vf.MultiTurnEnv):
    async def env_response(self, messages, state, **kwargs):
        # Dicts would be slower: verifiers validates them again.
        return [vf.UserMessage(content="Go on.")]


async def replies(state, **kwargs):
    return float(len(state["trajectory"]))


async def main(url, concurrency, count):
    logging.disable(logging.WARNING)
    os.environ["NO_KEY"] = "none"
    rows = [{"prompt": [{"role": "user", "content": f"Hello {number}."}], "answer": ""} for number in range(count)]
    environment = Chatter(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[replies]), max_turns=TURNS)
    start, started = time.process_time(), time.perf_counter()
    result = await environment.evaluate(
        ClientConfig(api_key_var="NO_KEY", api_base_url=url),
        "model",
        num_examples=count,
        max_concurrent=concurrency,
        on_progress=lambda *args, **kwargs: None,
    )
    cpu, seconds = time.process_time() - start, time.perf_counter() - started
    assert all(output["reward"] == TURNS for output in result["outputs"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpuOfTurn": cpu / count / TURNS * 1e6, "peak": peak, "speed": count / seconds}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
