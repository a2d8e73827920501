import fc from "fast-check";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

/** The expected state of a session. */
interface ExpectedSession {
  isStarted: boolean;
  isDone: boolean;
  /** The environment threw, so only a reset helps. */
  isFailed: boolean;
  steps: number;
}

type Command =
  | "reset"
  | "text"
  | "respond"
  | "end"
  | "throw"
  | "list"
  | "state"
  | "invalid JSON"
  | "unknown tool";

const frames: Readonly<Record<Command, object | string>> = {
  reset: { type: "reset", data: { index: 0 } },
  text: { type: "step", data: { text: "a" } },
  respond: {
    type: "step",
    data: { type: "call_tool", tool_name: "respond", arguments: { text: "a" } },
  },
  end: { type: "step", data: { text: "end" } },
  throw: { type: "step", data: { text: "throw" } },
  list: { type: "step", data: { type: "list_tools" } },
  state: { type: "state" },
  "invalid JSON": "{",
  "unknown tool": { type: "step", data: { type: "call_tool", tool_name: "fly" } },
};

/** The expected response to a command. Updates the session. */
function expectedResponse(command: Command, session: ExpectedSession): object {
  const observation = (done: boolean, reward: number | null = null) => ({
    type: "observation",
    data: { done, reward },
  });
  const isOver = session.isDone || session.isFailed;
  const error = (code: string) => ({ type: "error", data: { code } });
  switch (command) {
    case "invalid JSON":
      return error("INVALID_JSON");
    case "state":
      return { type: "state", data: { step_count: session.steps, done: isOver } };
    case "list":
      return observation(isOver);
    case "reset":
      Object.assign(session, { isStarted: true, isDone: false, isFailed: false, steps: 0 });
      return observation(false);
    default:
      if (!session.isStarted) return error("EXECUTION_ERROR");
      if (session.isDone || command === "unknown tool") return observation(isOver);
      session.isFailed ||= command === "throw";
      if (session.isFailed) return error("EXECUTION_ERROR");
      session.steps += 1;
      session.isDone = command === "end";
      return observation(session.isDone, session.isDone ? 1 : null);
  }
}

test("sockets respond according to their own session for any sequence of commands", async () => {
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
        session: { isStarted: false, isDone: false, isFailed: false, steps: 0 },
      }));
      // All frames are sent before the first response is read.
      for (const { socket, command } of all) players[socket]!.socket.send(frames[command]);
      for (const { socket, command } of all) {
        const player = players[socket]!;
        expect(await player.socket.next()).toMatchObject(expectedResponse(command, player.session));
      }
    }),
    { numRuns: 60 },
  );
});
