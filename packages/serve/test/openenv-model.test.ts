import fc from "fast-check";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

/** What a client that keeps count expects of a session. */
interface Expected {
  isStarted: boolean;
  isDone: boolean;
  steps: number;
}

type Command =
  | "reset"
  | "say"
  | "respond"
  | "end"
  | "throw"
  | "list"
  | "state"
  | "nonsense"
  | "no tool";

const frames: Readonly<Record<Command, object | string>> = {
  reset: { type: "reset", data: { index: 0 } },
  say: { type: "step", data: { text: "a" } },
  respond: {
    type: "step",
    data: { type: "call_tool", tool_name: "respond", arguments: { text: "a" } },
  },
  end: { type: "step", data: { text: "end" } },
  throw: { type: "step", data: { text: "throw" } },
  list: { type: "step", data: { type: "list_tools" } },
  state: { type: "state" },
  nonsense: "{",
  "no tool": { type: "step", data: { type: "call_tool", tool_name: "fly" } },
};

/** What a command is answered, and what it makes of the session. */
function answerOf(command: Command, session: Expected): object {
  const told = (done: boolean, reward: number | null = null) => ({
    type: "observation",
    data: { done, reward },
  });
  const failed = (code: string) => ({ type: "error", data: { code } });
  switch (command) {
    case "nonsense":
      return failed("INVALID_JSON");
    case "state":
      return { type: "state", data: { step_count: session.steps, done: session.isDone } };
    case "list":
      return told(session.isDone);
    case "reset":
      Object.assign(session, { isStarted: true, isDone: false, steps: 0 });
      return told(false);
    default:
      if (!session.isStarted) return failed("EXECUTION_ERROR");
      if (session.isDone || command === "no tool") return told(session.isDone);
      if (command === "throw") return failed("EXECUTION_ERROR");
      session.steps += 1;
      session.isDone = command === "end";
      return told(session.isDone, session.isDone ? 1 : null);
  }
}

test("sockets answer as their sessions are, whatever is done in whatever order, and know nothing of each other", async () => {
  await using server = await serve([patient()], { port: 0 });
  const commands = fc.array(
    fc.record({
      socket: fc.nat({ max: 1 }),
      command: fc.constantFrom(...(Object.keys(frames) as Command[])),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      await using first = await OpenenvSocket.open(server.url);
      await using second = await OpenenvSocket.open(server.url);
      const players = [first, second].map((socket) => ({
        socket,
        session: { isStarted: false, isDone: false, steps: 0 } satisfies Expected,
      }));
      // All is sent before anything is read: answers come in order nevertheless.
      for (const { socket, command } of all) players[socket]!.socket.send(frames[command]);
      for (const { socket, command } of all) {
        const player = players[socket]!;
        expect(await player.socket.next()).toMatchObject(answerOf(command, player.session));
      }
    }),
    { numRuns: 60 },
  );
});
