"""Plays games of tictactoe through the client of ors-sdk, on the first free position.

Usage: ors_games.py URL [GAMES]. Prints one line of JSON: tasks and tools, all games, and errors.
"""

import asyncio
import json
import re
import sys

from ors.client import ORS, ToolCallError

from ors_failure import failure


def texts(blocks) -> list:
    return [block.text for block in blocks]


def first_free(text: str) -> str:
    free = re.findall(r"Free positions: (\d)", text)[-1]
    return f"<think>The first.</think>\n<move>{free}</move>"


def output_fields(output) -> dict:
    return {
        "text": "\n".join(texts(output.blocks)),
        "reward": output.reward,
        "finished": output.finished,
        "metadata": output.metadata,
    }


def play(session) -> dict:
    prompt = texts(session.get_prompt())
    text, replies, outputs = prompt[-1], [], []
    while not outputs or not outputs[-1]["finished"]:
        replies.append(first_free(text))
        outputs.append(output_fields(session.call_tool("respond", {"text": replies[-1]})))
        text = outputs[-1]["text"]
    after = output_fields(session.call_tool("respond", {"text": replies[-1]}))
    return {"prompt": prompt, "replies": replies, "outputs": outputs, "after": after}


async def post(client, path: str, sid: str) -> list:
    async with client.post(path, headers={"X-Session-ID": sid}) as response:
        return [response.status, await response.json()]


url = sys.argv[1]
games = int(sys.argv[2]) if len(sys.argv) > 2 else 3
with ORS(base_url=url) as ors:
    env = ors.environment("tictactoe")
    run, client = env._loop.run_until_complete, env._async.client
    results = {
        "splits": env.list_splits(),
        "count": env.num_tasks("train"),
        "task": env.get_task("train", 1).task_spec,
        "range": [task.task_spec for task in env.get_task_range("train", 0, 2)],
        "tools": [tool.__dict__ for tool in env.list_tools()],
        "openai": env.list_tools(format="openai"),
        "games": [],
    }
    for index in range(games):
        task = env.get_task("train", index)
        which = {"task": task} if index % 2 else {"split": "train", "index": index}
        with env.session(**which) as session:
            sid = session.sid
            game = {"index": index, "tools": [tool.name for tool in session.list_tools()]}
            game["ping"] = run(post(client, "/ping", sid))
            game |= play(session)
        game["deleted"] = run(post(client, "/ping", sid))
        results["games"].append(game)
    with env.session(split="train", index=0) as session:
        results["unknown tool"] = failure(lambda: session.call_tool("fly", {}))
        results["invalid input"] = failure(lambda: session.call_tool("respond", {"words": "1"}))
        results["reply without a move"] = output_fields(session.call_tool("respond", {"text": "1"}))
print(json.dumps(results))
