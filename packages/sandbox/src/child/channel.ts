import { readSync, writeSync } from "node:fs";

import type { Json } from "../sandbox.ts";
import type { Question, Request } from "./messages.ts";
import type { Reply } from "./reply.ts";

/** The file descriptors that the host opened: four bytes of length, and JSON. Standard output stays free for other output. */
const [input, output] = [3, 4];

/** The host's question that is being answered. */
let current = "";

/** Answers the host's requests one at a time until the host closes the socket. */
export async function serve(answer: (request: Request) => Reply | Promise<Reply>): Promise<never> {
  send({ type: "ready" });
  for (;;) {
    const request = receive();
    try {
      send(await answer(request));
    } catch (error) {
      // A file does not exist, or the interpreter itself failed, such as by a full stack.
      send({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Calls a function of the host and waits. Throws an error with the message of the host's. */
export function callHost(name: string, args: Json[]): Json {
  send({ type: "call", name, args });
  const answer = receive();
  if (answer.type === "return") return answer.value;
  throw new Error(answer.type === "throw" ? answer.message : "The host did not answer.");
}

export function unexpected({ type }: Request): Error {
  return new Error(`A sandbox does not expect ${type} now.`);
}

export function sendBytes(body: Uint8Array): void {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  for (const part of [head, body])
    for (let sent = 0; sent < part.length;) sent += writeSync(output, part, sent);
}

function send(reply: Reply): void {
  sendBytes(Buffer.from(JSON.stringify({ id: current, reply })));
}

function receive(): Request {
  const length = readExactly(4).readUInt32BE(0);
  const { id, request } = JSON.parse(readExactly(length).toString("utf8")) as Question;
  current = id;
  return request;
}

function readExactly(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const count = readSync(input, bytes, filled, length - filled, null);
    if (count === 0) process.exit(0);
    filled += count;
  }
  return bytes;
}
