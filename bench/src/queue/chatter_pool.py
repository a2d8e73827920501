"""The conversations of chatter.ts by verifiers' pool of workers: python chatter_pool.py <workers> <concurrency of one> <rollouts> <base URL>…."""

import asyncio
import json
import logging
import os
import sys
import time

import verifiers.legacy as vf
from datasets import Dataset
from verifiers.legacy.types import ClientConfig

TURNS = 4
ROLLOUTS_OF_EXAMPLE = 8


class Chatter(vf.MultiTurnEnv):
    async def env_response(self, messages, state, **kwargs):
        return [vf.UserMessage(content="Go on.")]


async def replies(state, **kwargs):
    return float(len(state["trajectory"]))


def load_environment(examples):
    """Workers import this file as a module, and call this."""
    rows = [{"prompt": [{"role": "user", "content": f"Hello {number}."}], "answer": ""} for number in range(examples)]
    return Chatter(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[replies]), max_turns=TURNS)


async def main(workers, concurrency, rollouts, urls):
    logging.disable(logging.INFO)
    os.environ["NO_KEY"] = "none"
    # The workers are new processes, which import the environment by its name.
    os.environ["PYTHONPATH"] = os.path.dirname(os.path.abspath(__file__))
    examples = rollouts // ROLLOUTS_OF_EXAMPLE
    environment = vf.load_environment("chatter_pool", examples=examples)

    async def evaluate(url, count):
        return await environment.evaluate(
            ClientConfig(api_key_var="NO_KEY", api_base_url=url),
            "model",
            num_examples=count,
            rollouts_per_example=ROLLOUTS_OF_EXAMPLE,
            # Of groups, as the command of verifiers computes it: a group is sent to one worker.
            max_concurrent=max(1, workers * concurrency // ROLLOUTS_OF_EXAMPLE),
            on_progress=lambda *args, **kwargs: None,
        )

    await environment.start_server(
        num_workers=workers, extra_env_kwargs={"concurrency": concurrency}, log_level="ERROR"
    )
    seconds = []
    try:
        for url in urls:
            # So that each worker has imported everything and has its connections.
            await evaluate(url, max(1, workers * concurrency // ROLLOUTS_OF_EXAMPLE))
            start = time.perf_counter()
            result = await evaluate(url, examples)
            seconds.append(time.perf_counter() - start)
            assert len(result["outputs"]) == examples * ROLLOUTS_OF_EXAMPLE
            assert all(output["reward"] == TURNS for output in result["outputs"])
    finally:
        await environment.stop_server()
    print(json.dumps(seconds))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4]), sys.argv[4:]))
