"""Plays games of tictactoe through OpenEnv's generic client, on the first free position.

Usage: openenv_games.py URL [GAMES]. Prints one line of JSON with all games.
"""

import json
import re
import sys

from openenv import GenericEnvClient


def first_free(text: str) -> str:
    free = re.findall(r"Free positions: (\d)", text)[-1]
    return f"<think>The first.</think>\n<move>{free}</move>"


def play(env, index: int) -> dict:
    result = env.reset(split="train", index=index, episode_id=f"game-{index}")
    rewards = [result.reward]
    replies = []
    while not result.done:
        replies.append(first_free(result.observation["text"]))
        result = env.step({"text": replies[-1]})
        rewards.append(result.reward)
    return {
        "index": index,
        "replies": replies,
        "rewards": rewards,
        "observation": result.observation,
        "after": env.step({"text": "5"}).reward,
        "state": env.state(),
    }


url = sys.argv[1]
games = int(sys.argv[2]) if len(sys.argv) > 2 else 3
with GenericEnvClient(base_url=url).sync() as env:
    print(json.dumps({"games": [play(env, index) for index in range(games)]}))
