import { isRolloutError } from "@envs/core/engine";
import doubleCheck from "@envs/double-check";
import { describe, expect, test } from "vitest";

import { inlineHost } from "../src/host/inline-host.ts";
import { patient, type EpisodeCounts } from "./fixtures/patient.ts";
import { startSessions } from "./support/start-sessions.ts";

const reply = (content: string) => ({ role: "assistant", content }) as const;

describe("a session", () => {
  test("plays an episode to its end, and returns the outcome once", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = startSessions(2);
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
    const sessions = startSessions(2);
    const session = sessions.open(host);
    await session.reset({ index: 3 });
    await session.step(reply("1"));
    expect(await session.finish()).toMatchObject({ stopReason: "turns", isTruncated: true });
    await sessions.closeAll();
  });

  test("runs actions in order", async () => {
    const host = await inlineHost({ environment: doubleCheck() }, 0);
    const sessions = startSessions(2);
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
    const sessions = startSessions(1);
    const session = sessions.open(host);
    await expect(session.reset({ index: 1e9 })).rejects.toThrow(/has no example 1000000000/u);
    await expect(session.step(reply("1"))).rejects.toThrow("Reset first");
    expect(() => sessions.open(host)).toThrow("All 1 sessions are in use");
    await sessions.closeAll();
    await expect(session.reset({})).rejects.toSatisfy((error) => !isRolloutError(error));
  });

  test("rejects steps after an error of the environment, until a reset", async () => {
    await using host = await inlineHost({ environment: patient() }, 0);
    const sessions = startSessions(1);
    const session = sessions.open(host);
    await session.reset({});
    const results = await Promise.allSettled([
      session.step(reply("throw")),
      session.step(reply("again")),
      session.finish(),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(session.isOver).toBe(true);
    await expect(session.step(reply("again"))).rejects.toMatchObject({
      code: "no-episode",
      message:
        "The episode has ended: the environment failed (environment). Reset to start another.",
    });
    await session.reset({});
    expect(await session.step(reply("again"))).toMatchObject({ isDone: false });
    await sessions.closeAll();
  });

  test("fails a step that exceeds the time limit, and runs the next reset", async () => {
    const counts: EpisodeCounts = { cancelled: 0, closed: 0 };
    await using host = await inlineHost({ environment: patient(counts) }, 0);
    const sessions = startSessions(1, { stepTimeoutMs: 100 });
    const session = sessions.open(host);
    await session.reset({});
    const hanging = session.step(reply("wait"));
    const next = session.reset({});
    await expect(hanging).rejects.toMatchObject({ code: "timeout" });
    expect(await next).toMatchObject({ isDone: false });
    expect(counts.cancelled).toBe(1);
    expect(sessions.timeouts).toBe(1);
    expect(await session.step(reply("again"))).toMatchObject({ isDone: false });
    await sessions.closeAll();
  });

  test("is rejected once the server drains, while the episodes that it waits for go on", async () => {
    await using host = await inlineHost({ environment: patient() }, 0);
    const sessions = startSessions(2);
    const session = sessions.open(host);
    await session.reset({});
    const draining = sessions.drain(30_000);
    expect(() => sessions.open(host)).toThrow(expect.objectContaining({ code: "draining" }));
    expect(await session.step(reply("again"))).toMatchObject({ isDone: false });
    expect(await session.step(reply("end"))).toMatchObject({ isDone: true });
    await draining;
    await sessions.closeAll();
  });
});
