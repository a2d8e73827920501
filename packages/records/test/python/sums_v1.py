"""A taskset of sums for verifiers' v1 API, with a harness that asks the model in this process."""

import json

import httpx
import verifiers.v1 as vf
from verifiers.v1.runtimes import ProgramResult
from verifiers.v1.task import TaskTimeout

__all__ = ["SumsTaskset", "SumsHarness"]

questions = [
    ("What is 1 + 1?", "2"),
    ("Add 2 and 3 with the tool.", "5"),
    ("Add forever with the tool.", "0"),
    ("Write a long text.", "text"),
    ("Fail.", "0"),
    ("Score this as NaN.", "2"),
    ("Exceed the context.", "0"),
    ("Take too long.", "0"),
]

add = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        },
    },
}


class SumsData(vf.TaskData):
    answer: str = ""


class SumsTask(vf.Task[SumsData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return float(self.data.answer in trace.last_reply)

    @vf.reward(weight=0.5)
    async def unsure(self, trace: vf.Trace) -> float:
        return float("nan") if "NaN" in self.data.prompt_text else 0.5

    @vf.metric
    async def replies(self, trace: vf.Trace) -> float:
        return trace.num_turns


class SumsConfig(vf.TasksetConfig):
    pass


class SumsTaskset(vf.Taskset[SumsTask, SumsConfig]):
    def load(self) -> list[SumsTask]:
        return [
            SumsTask(
                SumsData(
                    idx=index,
                    prompt=question,
                    system_prompt="Answer briefly.",
                    answer=answer,
                    timeout=TaskTimeout(agent=2) if "too long" in question else TaskTimeout(),
                ),
                self.config.task,
            )
            for index, (question, answer) in enumerate(questions)
        ]


class SumsHarnessConfig(vf.HarnessConfig):
    pass


class SumsHarness(vf.Harness[SumsHarnessConfig]):
    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, **_
    ) -> ProgramResult:
        system, prompt = self.resolve_prompt(data)
        messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": prompt},
        ]
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=30, headers=headers) as client:
            while True:
                response = await client.post(
                    f"{endpoint}/chat/completions",
                    json={"model": ctx.model, "messages": messages, "tools": [add]},
                )
                if response.status_code != 200:
                    return ProgramResult(1, "", response.text)
                message = response.json()["choices"][0]["message"]
                messages.append(message)
                calls = message.get("tool_calls") or []
                if not calls:
                    return ProgramResult(0, message.get("content") or "", "")
                for call in calls:
                    numbers = json.loads(call["function"]["arguments"])
                    messages.append(
                        {
                            "role": "tool",
                            "tool_call_id": call["id"],
                            "content": str(sum(numbers.values())),
                        }
                    )
