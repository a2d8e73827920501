"""The conversations of chatter.ts with verifiers 0.4: python chatter_verifiers_v1.py <base URL> <concurrency> <rollouts>.

Its harness is a loop in this process, the cheapest that verifiers allows: its own harnesses start a program for each rollout.
"""

import asyncio
import json
import logging
import os
import resource
import sys
import time

import httpx
import verifiers.v1 as vf
from verifiers.v1.configs.client import EvalClientConfig
from verifiers.v1.envs.single_agent import SingleAgentEnvConfig
from verifiers.v1.runtimes import SubprocessConfig
from verifiers.v1.utils.loaders import load_environment

TURNS = 4


class ChatterTask(vf.Task[vf.TaskData]):
    @vf.reward(weight=1.0)
    async def replies(self, trace: vf.Trace) -> float:
        return float(sum(message.role == "assistant" for message in trace.branches[-1].messages))


class ChatterConfig(vf.TasksetConfig):
    rollouts: int = 1


class ChatterTaskset(vf.Taskset[ChatterTask, ChatterConfig]):
    def load(self):
        return [ChatterTask(vf.TaskData(prompt=f"Hello {number}.")) for number in range(self.config.rollouts)]


class ChatterHarness(vf.Harness[vf.HarnessConfig]):
    APPENDS_SYSTEM_PROMPT = True
    NEEDS_CONTAINER = False
    client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        messages = [{"role": "user", "content": data.prompt}]
        for turn in range(TURNS):
            if turn > 0:
                messages.append({"role": "user", "content": "Go on."})
            response = await self.client.post(
                f"{endpoint}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": messages},
            )
            response.raise_for_status()
            messages.append(response.json()["choices"][0]["message"])
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


__all__ = ["ChatterTaskset", "ChatterHarness"]


async def main(url, concurrency, count):
    logging.disable(logging.WARNING)
    os.environ["NO_KEY"] = "none"
    name = "chatter_verifiers_v1"
    config = SingleAgentEnvConfig(
        taskset={"id": name, "rollouts": count},
        agent={"harness": {"id": name}, "runtime": SubprocessConfig()},
    )
    environment = load_environment(config)
    ctx = vf.ModelContext(model="model", client=EvalClientConfig(base_url=url, api_key_var="NO_KEY"))
    semaphore = asyncio.Semaphore(concurrency)
    start, started = time.process_time(), time.perf_counter()
    async with environment.serving():
        slots = [slot for task in environment.taskset for slot in environment.slots(task)]
        episodes = await asyncio.gather(*(environment.run_slot(slot, ctx, semaphore) for slot in slots))
    cpu, seconds = time.process_time() - start, time.perf_counter() - started
    for episode in episodes:
        assert episode.ok and episode.traces[0].reward == TURNS, episode.errors
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpuOfTurn": cpu / count / TURNS * 1e6, "peak": peak, "speed": count / seconds}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
