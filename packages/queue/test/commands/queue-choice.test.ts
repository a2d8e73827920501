import { afterEach, describe, expect, it, vi } from "vitest";

import { queueChoice, savedQueue } from "../../src/commands/queue-choice.ts";

afterEach(() => vi.unstubAllEnvs());

/** The queue that a command line selects, and the notes that it prints. */
function chosen(args: Parameters<typeof queueChoice>[0], saved?: string) {
  const notes: string[] = [];
  const choice = queueChoice(args, { saved, note: (text) => notes.push(text) });
  return { choice, notes };
}

const open = "postgres://envs@db.example.com/envs";
const secret = "postgres://envs:hunter2@db.example.com/envs";

describe("savedQueue", () => {
  it("keeps addresses without a password", () => {
    expect(savedQueue(open)).toBe(open);
    expect(savedQueue("/runs/.queue")).toBe("/runs/.queue");
  });

  it.each([secret, `${open}?sslpassword=hunter2`])("removes the secrets of %s", (reference) => {
    expect(savedQueue(reference)).not.toContain("hunter2");
  });
});

describe("queueChoice", () => {
  it("lets this process play without a queue or with `none`", () => {
    expect(chosen({}).choice).toBeUndefined();
    expect(chosen({ queue: "none" }, open)).toEqual({ choice: undefined, notes: [] });
  });

  it("reads the queue and its limit", () => {
    expect(chosen({ queue: open, "max-queued": "64" }).choice).toEqual({
      reference: open,
      maxQueued: 64,
    });
  });

  it.each([
    [{ queue: "" }, "--queue is empty"],
    [{ "max-queued": "8" }, "--max-queued limits the rollouts in a queue"],
    [{ queue: open, "max-queued": "0" }, "--max-queued"],
  ])("rejects %j", (args, message) => {
    expect(() => chosen(args)).toThrow(message);
  });

  it("continues a resumed run in its queue, and reports it", () => {
    const { choice, notes } = chosen({}, open);
    expect(choice?.reference).toBe(open);
    expect(notes.join()).toContain(`Continuing in the queue ${open}`);
  });

  it("takes a saved queue's password from ENVS_QUEUE only if it is the same queue", () => {
    const saved = savedQueue(secret);
    vi.stubEnv("ENVS_QUEUE", "postgres://envs:other@elsewhere.example.com/envs");
    expect(() => chosen({}, saved)).toThrow("whose password is not saved");
    vi.stubEnv("ENVS_QUEUE", secret);
    expect(chosen({}, saved).choice?.reference).toBe(secret);
  });
});
