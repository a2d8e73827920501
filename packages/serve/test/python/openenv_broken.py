"""Resets an environment whose second example cannot be set up, through OpenEnv's generic client.

Usage: openenv_broken.py URL. Prints one line of JSON: what was shown, and the message of the client's error.
"""

import asyncio
import json
import sys

from openenv import GenericEnvClient


async def main(url: str) -> None:
    seen = {}
    async with GenericEnvClient(base_url=url) as env:
        seen["whole"] = (await env.reset(index=0)).observation["text"]
        try:
            await env.reset(index=1)
        except RuntimeError as error:
            seen["broken"] = str(error)
    async with GenericEnvClient(base_url=url) as env:
        seen["after"] = (await env.reset(index=0)).observation["text"]
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1]))
