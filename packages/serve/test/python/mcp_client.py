"""Plays an episode over MCP with the stock client. Arguments: the URL, and the replies."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str, replies: list[str]) -> dict:
    async with streamablehttp_client(url) as (read, write, session_id):
        async with ClientSession(read, write) as session:
            opened = await session.initialize()
            tools = (await session.list_tools()).tools
            results = [await session.call_tool("respond", {"text": text}) for text in replies]
            return {
                "version": opened.protocolVersion,
                "instructions": opened.instructions,
                "tools": [tool.name for tool in tools],
                "session": session_id() is not None,
                "last": results[-1].model_dump(mode="json", by_alias=True),
            }


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
