"""verifiers' interception server with sessions of rollouts that call the endpoint of the first argument; the second is their number."""
import asyncio
import json
import sys

from verifiers.v1.agent import AgentConfig
from verifiers.v1.clients import ModelContext
from verifiers.v1.configs.client import EvalClientConfig
from verifiers.v1.interception.server import InterceptionServer
from verifiers.v1.session import RolloutSession
from verifiers.v1.state import State
from verifiers.v1.task import TaskData
from verifiers.v1.trace import AgentInfo, Trace, TraceTask


async def main(url: str, count: int) -> None:
    async with InterceptionServer() as server:
        client = EvalClientConfig(base_url=url, api_key_var="HOME")
        keys = []
        for index in range(count):
            task = TraceTask(type="Task", data=TaskData(prompt="Hello"), key=str(index), hash="")
            session = RolloutSession(
                ctx=ModelContext(model="model", client=client),
                trace=Trace(task=task, state=State(), agent=AgentInfo(config=AgentConfig())),
            )
            keys.append(server.register(session)[0])
        print(json.dumps({"origin": server.base_url, "keys": keys}), flush=True)
        await asyncio.Event().wait()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
