"""Plays tictactoe with the tool `respond` and wiki-search with its own tools, through OpenEnv's client for tools.

Usage: openenv_tools.py URL. The server serves both environments. Prints one line of JSON with the results.
"""

import asyncio
import json
import re
import sys

from openenv.core import CallToolAction
from openenv.core.mcp_client import MCPToolClient


def first_free(text: str) -> str:
    free = re.findall(r"Free positions: (\d)", text)[-1]
    return f"<think>The first.</think>\n<move>{free}</move>"


async def tictactoe(url: str) -> dict:
    async with MCPToolClient(base_url=f"{url}/tictactoe") as env:
        tools = [tool.name for tool in await env.list_tools()]
        result = await env.reset(index=1)
        text = result.observation.text
        # The first move is sent over HTTP, the others over the socket of the same session.
        text = await env.call_tool("respond", text=first_free(text))
        rewards = []
        while not result.done:
            action = CallToolAction(tool_name="respond", arguments={"text": first_free(text)})
            result = await env.step(action)
            text = result.observation.result
            rewards.append(result.reward)
        state = await env.state()
        return {"tools": tools, "rewards": rewards, "text": text, "steps": state.step_count}


async def wiki_search(url: str) -> dict:
    async with MCPToolClient(base_url=f"{url}/wiki-search") as env:
        tools = [tool.name for tool in await env.list_tools()]
        question = (await env.reset(split="eval", index=0)).observation
        search = await env.call_tool("search", query="Paris", limit=2)
        try:
            await env.call_tool("fly", where="Paris")
            rejected = None
        except RuntimeError as error:
            rejected = str(error)
        unknown = await env.step(CallToolAction(tool_name="fly", arguments={}))
        answer = {"text": "<answer>nothing</answer>"}
        last = await env.step(CallToolAction(tool_name="respond", arguments=answer))
        return {
            "tools": tools,
            "system": question.system_prompt,
            "question": question.text,
            "search": search,
            "rejected": rejected,
            "unknown": unknown.observation.error.error_type.value,
            "reward": last.reward,
            "done": last.done,
        }


async def main(url: str) -> None:
    results = {"tictactoe": await tictactoe(url), "wiki-search": await wiki_search(url)}
    print(json.dumps(results))


asyncio.run(main(sys.argv[1]))
