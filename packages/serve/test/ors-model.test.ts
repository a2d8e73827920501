import fc from "fast-check";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { stage } from "./fixtures/stage.ts";
import { orsClient } from "./support/ors-client.ts";

/** The expected state of a session. */
interface ExpectedSession {
  state: "none" | "open" | "closed";
  isDone: boolean;
  replies: string[];
  lastStream: string | undefined;
}

type Client = ReturnType<typeof orsClient>;
type Command = (client: Client, expected: ExpectedSession) => Promise<void>;

const statusByState = { none: 404, open: 200, closed: 410 };

const call = async ({ post }: Client, expected: ExpectedSession, body: object) => {
  const response = await post("/stage/call", body);
  expect(response.status).toBe(statusByState[expected.state]);
  if (response.status === 200) expected.lastStream = response.text;
  return response.status === 200 ? response.events : undefined;
};

const respond = (text: string, isEnd = false): Command => {
  return async (client, expected) => {
    const events = await call(client, expected, { name: "respond", input: { text } });
    if (events === undefined) return;
    const wasDone = expected.isDone;
    expected.isDone ||= isEnd;
    if (!expected.isDone) expected.replies.push(text);
    const endText = wasDone ? "The episode is over." : "Over.\n\nThe episode is over.";
    const reply = expected.isDone ? endText : expected.replies.join(" ");
    const hasReward = expected.isDone && !wasDone;
    expect(events.map(({ event }) => event)).toEqual(["task_id", "end"]);
    expect(JSON.parse(events[1]!.data)).toEqual({
      ok: true,
      output: {
        blocks: [{ type: "text", text: reply }],
        metadata: hasReward
          ? { stop_reason: "end", is_truncated: false, scores: { fine: 1, never: null } }
          : null,
        reward: hasReward ? 1 : null,
        finished: expected.isDone,
      },
    });
  };
};

const rejected = (body: object, reason: string): Command => {
  return async (client, expected) => {
    const events = await call(client, expected, body);
    if (events !== undefined)
      expect(JSON.parse(events[1]!.data)).toMatchObject({ ok: false, reason });
  };
};

const commands: Readonly<Record<string, Command>> = {
  async create({ post }, expected) {
    const { status } = await post("/create", { split: "train", index: 0 });
    expect(status).toBe(expected.state === "open" ? 400 : 200);
    if (status === 200) Object.assign(expected, { state: "open", isDone: false, replies: [] });
  },
  async "create an unknown task"({ post }) {
    expect((await post("/create", { split: "train", index: 9 })).status).toBe(400);
  },
  async ping({ post }, { state }) {
    expect((await post("/ping")).status).toBe(statusByState[state]);
  },
  async prompt({ get }, { state }) {
    expect((await get("/stage/prompt")).status).toBe(statusByState[state]);
  },
  async "task tools"({ get }, { state }) {
    expect((await get("/stage/task_tools")).status).toBe(statusByState[state]);
  },
  "respond a": respond("a"),
  "respond b": respond("b"),
  end: respond("end", true),
  "unknown tool": rejected({ name: "fly", input: {} }, "not_found"),
  "invalid input": rejected({ name: "respond", input: [] }, "input_validation"),
  async "broken stream"({ post }, { lastStream, state }) {
    const id = /^data: (?<id>.*)$/mu.exec(lastStream ?? "")?.groups!.id ?? "nothing";
    const { status, text } = await post("/stage/call", { name: "a", input: {}, task_id: id });
    if (lastStream !== undefined)
      expect({ status, text }).toEqual({ status: 200, text: lastStream });
    else expect(status).toBe(statusByState[state]);
  },
  async delete({ post }, expected) {
    expect((await post("/delete")).status).toBe(200);
    if (expected.state === "open") expected.state = "closed";
  },
};

test("sessions respond according to their own state for any sequence of commands", async () => {
  await using server = await serve([stage()], { port: 0, sessions: 2 });
  const steps = fc.array(
    fc.record({
      session: fc.nat({ max: 1 }),
      command: fc.constantFrom("create", ...Object.keys(commands)),
    }),
    { maxLength: 40 },
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      runs += 1;
      const players = ["a", "b"].map((name) => ({
        client: orsClient(server, `${name} ${runs}`),
        expected: {
          state: "none",
          isDone: false,
          replies: [],
          lastStream: undefined,
        } as ExpectedSession,
      }));
      // Both sessions run at once, each with its steps in order.
      await Promise.all(
        players.map(async ({ client, expected }, place) => {
          for (const { session, command } of all)
            if (session === place) await commands[command]!(client, expected);
          await client.post("/delete");
        }),
      );
    }),
    { numRuns: 60 },
  );
});
