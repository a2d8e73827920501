"""Breaks the streams of calls, and checks that both clients resume them without repeating a move.

A proxy between the clients and the server cuts the first stream of each call after a number of bytes.
Usage: ors_resume.py URL. The first environment must be tictactoe. Prints one line of JSON.
"""

import asyncio
import json
import os
import re
import sys
from urllib.parse import urlsplit

target = urlsplit(sys.argv[1])


class Proxy:
    """Forwards requests, and cuts the first stream of each call."""

    def __init__(self):
        self.calls, self.cuts, self.resumed = 0, 0, 0
        self.cut_after = [0, 60, 130, 300]

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                await self.forward(head, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def forward(self, head, body, writer):
        upstream, out = await asyncio.open_connection(target.hostname, target.port)
        out.write(re.sub(rb"(?i)\r\nconnection: [^\r]*", b"", head)[:-2] + b"Connection: close\r\n\r\n" + body)
        await out.drain()
        response = await upstream.readuntil(b"\r\n\r\n")
        is_call = b"/call HTTP" in head and b" 200 " in response
        self.calls += is_call
        is_resumed = is_call and b'"task_id"' in body
        self.resumed += is_resumed
        writer.write(response)
        # The first event must arrive: it has the id of the call, which clients need to resume.
        max_bytes = None
        if is_call and not is_resumed:
            first = await upstream.readuntil(b"\n\n")
            writer.write(first)
            max_bytes = self.cut_after[self.cuts % len(self.cut_after)]
            self.cuts += 1
        rest = await upstream.read() if max_bytes is None else (await upstream.read())[:max_bytes]
        writer.write(rest)
        await writer.drain()
        out.close()
        # The client sees an incomplete response as a broken stream.
        writer.close()


async def play(session) -> dict:
    prompt = await session.get_prompt()
    text, replies, rewards, finished = prompt[-1].text, [], [], False
    while not finished:
        free = re.findall(r"Free positions: (\d)", text)[-1]
        replies.append(f"<think>The first.</think>\n<move>{free}</move>")
        output = await session.call_tool("respond", {"text": replies[-1]})
        text = output.blocks[0].text
        finished = output.finished
        rewards.append(output.reward)
    return {"replies": replies, "rewards": rewards, "turns": output.metadata["scores"]["replies"]}


async def main():
    proxy = Proxy()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    os.environ |= {"OPENREWARD_API_URL": url, "OPENREWARD_SESSION_URL": url}
    os.environ.setdefault("OPENREWARD_API_KEY", "none")
    from openreward import AsyncOpenReward
    from ors.client import AsyncORS

    results = {}
    clients = AsyncORS(base_url=url), AsyncOpenReward()
    environments = {
        "ors": clients[0].environment("tictactoe"),
        "openreward": clients[1].environments.get("env"),
    }
    for name, env in environments.items():
        proxy.calls = proxy.cuts = proxy.resumed = 0
        async with env.session(split="train", index=0) as session:
            game = await play(session)
        await env.client.close()
        results[name] = game | {"calls": proxy.calls, "cuts": proxy.cuts, "resumed": proxy.resumed}
    print(json.dumps(results))


asyncio.run(main())
