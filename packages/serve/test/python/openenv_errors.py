"""Provokes errors through OpenEnv's generic client.

Usage: openenv_errors.py URL SESSIONS FRAGILE_URL. SESSIONS is the server's limit: the script opens one session more.
The environment at FRAGILE_URL exits its thread during the setup of its second example.
Prints one line of JSON: the error message of the client for each case.
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
    """Sends a frame that the client itself never sends."""
    await env._ws.send(frame)
    data = json.loads(await env._ws.recv())["data"]
    raise RuntimeError(f"{data['code']}: {data['message']}")


async def exceed_limit(url: str, sessions: int) -> str | None:
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


async def fail_setup(url: str) -> dict:
    results = {}
    async with GenericEnvClient(base_url=url) as env:
        results["first example"] = (await env.reset(index=0)).observation["text"]
        results["failing setup"] = await failure(env.reset(index=1))
    async with GenericEnvClient(base_url=url) as env:
        results["after the failure"] = (await env.reset(index=0)).observation["text"]
    return results


async def main(url: str, sessions: int, sleepy_url: str) -> None:
    results = {}
    async with GenericEnvClient(base_url=url) as env:
        results["invalid JSON"] = await failure(raw(env, "{"))
        results["unknown type"] = await failure(raw(env, '{"type": "unknown"}'))
        results["step before reset"] = await failure(env.step({"text": "5"}))
        results["unknown key"] = await failure(env.reset(indx=1))
        results["unknown example"] = await failure(env.reset(index=10**9))
        await env.reset(index=0)
        results["invalid action"] = await failure(env.step({"text": "5", "metadata": 5}))
        results["done after a valid step"] = (await env.step({"text": "5"})).done
    async with GenericEnvClient(base_url=url) as env:
        env._ws_url += "?session_id=unknown"
        await env.disconnect()
        results["unknown session"] = await failure(env.reset())
    results["session limit"] = await exceed_limit(url, sessions)
    print(json.dumps({**results, **await fail_setup(sleepy_url)}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
