"""Plays tictactoe and wiki-search through openreward's client, which TRL trains with.

Usage: ors_openreward.py URL [PLAYS]. The first environment must be tictactoe, which TRL calls env. PLAYS are
additional episodes of wiki-search, as JSON: `[{"index": 0, "calls": [["search", {…}], …]}, …]`.
Prints one line of JSON.
"""

import json
import os
import re
import sys

url = sys.argv[1]
plays = json.loads(sys.argv[2]) if len(sys.argv) > 2 else []
os.environ |= {"OPENREWARD_API_URL": url, "OPENREWARD_SESSION_URL": url}
os.environ.setdefault("OPENREWARD_API_KEY", "none")

from openreward import OpenReward  # noqa: E402  (reads the environment variables)

from ors_failure import failure  # noqa: E402


def output_fields(output) -> dict:
    return {
        "text": "\n".join(block.text for block in output.blocks),
        "reward": output.reward,
        "finished": output.finished,
        "metadata": output.metadata,
    }


def tictactoe(env, index: int) -> dict:
    with env.session(split="train", index=index) as session:
        prompt = [block.text for block in session.get_prompt()]
        text, replies, outputs = prompt[-1], [], []
        while not outputs or not outputs[-1]["finished"]:
            free = re.findall(r"Free positions: (\d)", text)[-1]
            replies.append(f"<think>The first.</think>\n<move>{free}</move>")
            outputs.append(output_fields(session.call_tool("respond", {"text": replies[-1]})))
            text = outputs[-1]["text"]
        after = output_fields(session.call_tool("respond", {"text": "<move>0</move>"}))
        tools = [tool.name for tool in session.list_tools()]
        messages = [message.role for message in session.get_messages()]
    return {
        "index": index,
        "prompt": prompt,
        "replies": replies,
        "outputs": outputs,
        "after": after,
        "tools": tools,
        "messages": messages,
    }


def wiki_search(env, index: int) -> dict:
    """Searches for the question, opens an article, reads a section that does not exist, and replies incorrectly."""
    task = env.get_task("eval", index)
    with env.session(task=task) as session:
        question = session.get_prompt()[-1].text
        calls, outputs = [], []

        def call(name: str, arguments: dict) -> str:
            calls.append([name, arguments])
            outputs.append(output_fields(session.call_tool(name, arguments)))
            return outputs[-1]["text"]

        hits = call("search", {"query": question[:200], "limit": None})
        article = re.search(r"\b[a-z]+(?:-[a-z0-9]+)+\b", hits)
        call("open", {"id": article[0] if article else "nowhere"})
        call("read", {"id": article[0] if article else "nowhere", "section": "Nothing"})
        call("search", {"query": 5})
        call("respond", {"text": "<answer>Paris</answer>"})
    return {"task": task.task_spec, "question": question, "calls": calls, "outputs": outputs}


def replay(env, index: int, calls: list) -> dict:
    with env.session(split="eval", index=index) as session:
        session.get_prompt()
        outputs = [output_fields(session.call_tool(name, arguments)) for name, arguments in calls]
    return {"index": index, "outputs": outputs}


with OpenReward() as client:
    first = client.environments.get("env")
    wiki = client.environments.get("wiki-search")
    results = {
        "splits": first.list_splits(),
        "count": first.num_tasks("train"),
        "tools": [tool.__dict__ for tool in first.list_tools()],
        "terminal": first.terminal_tool(),
        "wiki tools": [tool.name for tool in wiki.list_tools()],
        "games": [tictactoe(first, index) for index in range(2)],
        "searches": [wiki_search(wiki, index) for index in range(2)],
        "plays": [replay(wiki, **play) for play in plays],
    }
    with first.session(split="train", index=0) as session:
        results["unknown tool"] = failure(lambda: session.call_tool("fly", {}))
        results["invalid input"] = failure(lambda: session.call_tool("respond", {"words": "1"}))
    results["unknown task"] = failure(lambda: first.session(split="train", index=10**9).__enter__())
print(json.dumps(results))
