"""Provokes errors through OpenEnv's generic client, and says what the client made of each.

Usage: openenv_errors.py URL SESSIONS BREAKING. SESSIONS is the server's limit: it opens that many and one more. BREAKING is
a server whose environment cannot set up its second example.
Prints one line of JSON: by the name of what was done, the message of the client's error.
"""

import asyncio
import json
import sys

from openenv import GenericEnvClient


async def failure(work) -> str | None:
    try:
        await work
    except Exception as error:
        return str(error)
    return None


async def raw(env: GenericEnvClient, frame: str) -> None:
    """What the client itself never sends."""
    await env._ws.send(frame)
    answer = json.loads(await env._ws.recv())
    raise RuntimeError(f"{answer['data']['code']}: {answer['data']['message']}")


async def crowd(url: str, sessions: int) -> str | None:
    clients = [GenericEnvClient(base_url=url) for _ in range(sessions)]
    try:
        for client in clients:
            await client.connect()
            await client.state()
        async with GenericEnvClient(base_url=url) as one_more:
            return await failure(one_more.reset())
    finally:
        for client in clients:
            await client.close()


async def breaking(url: str) -> dict:
    seen = {}
    async with GenericEnvClient(base_url=url) as env:
        seen["whole"] = (await env.reset(index=0)).observation["text"]
        seen["broken"] = await failure(env.reset(index=1))
    async with GenericEnvClient(base_url=url) as env:
        seen["after"] = (await env.reset(index=0)).observation["text"]
    return seen


async def main(url: str, sessions: int, broken: str) -> None:
    seen = {}
    async with GenericEnvClient(base_url=url) as env:
        seen["not json"] = await failure(raw(env, "{"))
        seen["unknown type"] = await failure(raw(env, '{"type": "dance"}'))
        seen["step first"] = await failure(env.step({"text": "5"}))
        seen["unknown key"] = await failure(env.reset(indx=1))
        seen["no such example"] = await failure(env.reset(index=10**9))
        await env.reset(index=0)
        seen["wrong action"] = await failure(env.step({"move": 5}))
        seen["still open"] = (await env.step({"text": "5"})).done
    async with GenericEnvClient(base_url=url) as env:
        env._ws_url += "?session_id=nobody"
        await env.disconnect()
        seen["unknown session"] = await failure(env.reset())
    seen["crowd"] = await crowd(url, sessions)
    print(json.dumps({**seen, **await breaking(broken)}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
