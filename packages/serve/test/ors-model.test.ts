import fc from "fast-check";
import { expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { stage } from "./fixtures/stage.ts";
import { orsClient } from "./support/ors-client.ts";

/** What a client that keeps count expects of its session. */
interface Expected {
  life: "none" | "open" | "over";
  isDone: boolean;
  said: string[];
  /** The stream of the last call. */
  last: string | undefined;
}

type Client = ReturnType<typeof orsClient>;
type Command = (client: Client, expected: Expected) => Promise<void>;

const missing = { none: 404, open: 200, over: 410 };

const call = async ({ post }: Client, expected: Expected, body: object) => {
  const answer = await post("/stage/call", body);
  expect(answer.status).toBe(missing[expected.life]);
  if (answer.status === 200) expected.last = answer.text;
  return answer.status === 200 ? answer.events : undefined;
};

const say = (text: string, isEnd = false): Command => {
  return async (client, expected) => {
    const events = await call(client, expected, { name: "respond", input: { text } });
    if (events === undefined) return;
    const wasDone = expected.isDone;
    expected.isDone ||= isEnd;
    if (!expected.isDone) expected.said.push(text);
    const over = wasDone ? "The episode is over." : "Over.";
    const shown = expected.isDone ? over : expected.said.join(" ");
    const isNews = expected.isDone && !wasDone;
    expect(events.map(({ event }) => event)).toEqual(["task_id", "end"]);
    expect(JSON.parse(events[1]!.data)).toEqual({
      ok: true,
      output: {
        blocks: [{ type: "text", text: shown }],
        metadata: isNews
          ? { stop_reason: "end", is_truncated: false, scores: { fine: 1, never: null } }
          : null,
        reward: isNews ? 1 : null,
        finished: expected.isDone,
      },
    });
  };
};

const refused = (body: object, reason: string): Command => {
  return async (client, expected) => {
    const events = await call(client, expected, body);
    if (events !== undefined)
      expect(JSON.parse(events[1]!.data)).toMatchObject({ ok: false, reason });
  };
};

const commands: Readonly<Record<string, Command>> = {
  async create({ post }, expected) {
    const { status } = await post("/create", { split: "train", index: 0 });
    expect(status).toBe(expected.life === "open" ? 400 : 200);
    if (status === 200) Object.assign(expected, { life: "open", isDone: false, said: [] });
  },
  async "create what is not there"({ post }) {
    expect((await post("/create", { split: "train", index: 9 })).status).toBe(400);
  },
  async ping({ post }, { life }) {
    expect((await post("/ping")).status).toBe(missing[life]);
  },
  async prompt({ get }, { life }) {
    expect((await get("/stage/prompt")).status).toBe(missing[life]);
  },
  async "task tools"({ get }, { life }) {
    expect((await get("/stage/task_tools")).status).toBe(missing[life]);
  },
  "say a": say("a"),
  "say b": say("b"),
  end: say("end", true),
  "no tool": refused({ name: "fly", input: {} }, "not_found"),
  "no input": refused({ name: "respond", input: [] }, "input_validation"),
  async "lost call"({ post }, { last, life }) {
    const id = /^data: (?<id>.*)$/mu.exec(last ?? "")?.groups!.id ?? "nothing";
    const { status, text } = await post("/stage/call", { name: "a", input: {}, task_id: id });
    if (last !== undefined) expect({ status, text }).toEqual({ status: 200, text: last });
    else expect(status).toBe(missing[life]);
  },
  async delete({ post }, expected) {
    expect((await post("/delete")).status).toBe(200);
    if (expected.life === "open") expected.life = "over";
  },
};

test("sessions answer as they are, whatever is done in whatever order, and know nothing of each other", async () => {
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
        expected: { life: "none", isDone: false, said: [], last: undefined } as Expected,
      }));
      // Each session's steps in their order, both sessions at once.
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
