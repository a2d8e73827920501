import { isRolloutError } from "@envs/core/engine";
import doubleCheck from "@envs/double-check";
import { describe, expect, test } from "vitest";

import { inlineHost } from "../src/host/inline-host.ts";
import { Sessions } from "../src/sessions/sessions.ts";

const reply = (content: string) => ({ role: "assistant", content }) as const;

describe("a session", () => {
  test("plays an episode to its end, and returns the outcome once", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = new Sessions({ maxSessions: 2, idleTimeoutMs: 60_000 }, 0);
    const session = sessions.open(host);
    const opening = await session.reset({ index: 3 });
    expect(opening).toMatchObject({ isDone: false, outcome: undefined });
    expect(opening.messages.at(-1)).toMatchObject({ role: "user" });
    expect((await session.step(reply("1"))).isDone).toBe(false);
    const last = await session.step(reply("1"));
    expect(last).toMatchObject({ isDone: true, outcome: { stopReason: "end" } });
    expect(await session.step(reply("1"))).toEqual({
      messages: [],
      isDone: true,
      outcome: undefined,
    });
    expect(await session.finish()).toEqual(last.outcome);
    await sessions.closeAll();
  });

  test("is scored as truncated if it is finished early", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = new Sessions({ maxSessions: 2, idleTimeoutMs: 60_000 }, 0);
    const session = sessions.open(host);
    await session.reset({ index: 3 });
    await session.step(reply("1"));
    expect(await session.finish()).toMatchObject({ stopReason: "turns", isTruncated: true });
    await sessions.closeAll();
  });

  test("runs actions in order", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = new Sessions({ maxSessions: 2, idleTimeoutMs: 60_000 }, 0);
    const session = sessions.open(host);
    const observations = await Promise.all([
      session.reset({}),
      session.step(reply("1")),
      session.step(reply("2")),
    ]);
    expect(observations.map(({ isDone }) => isDone)).toEqual([false, false, true]);
    await sessions.closeAll();
  });

  test("rejects an index outside the split", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = new Sessions({ maxSessions: 1, idleTimeoutMs: 60_000 }, 0);
    const session = sessions.open(host);
    await expect(session.reset({ index: 1e9 })).rejects.toThrow(/has no example 1000000000/u);
    await expect(session.step(reply("1"))).rejects.toThrow("Reset first");
    expect(() => sessions.open(host)).toThrow("All 1 sessions are in use");
    await sessions.closeAll();
    await expect(session.reset({})).rejects.toSatisfy((error) => !isRolloutError(error));
  });
});
