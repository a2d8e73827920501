import { PassThrough, Writable } from "node:stream";

import { expect, test } from "vitest";

import { type Terminal, view } from "../../src/viewer/terminal.ts";
import { playedRollout, viewedRun } from "./run.ts";

const run = viewedRun([playedRollout(0, 1), playedRollout(1, 0)]);

/** A terminal that records its output. */
class FakeTerminal implements Terminal {
  isRaw = false;
  recorded = "";
  readonly input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => {
      this.isRaw = isRaw;
      return this.input as never;
    },
  });
  readonly output = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        this.recorded += String(chunk);
        done();
      },
    }),
    { columns: 80, rows: 24 },
  );

  /** Waits until the output since the last call contains `text`. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.recorded).toContain(text);
    this.recorded = "";
  }

  get isRestored(): boolean {
    return !this.isRaw && this.recorded.endsWith("\u001B[?25h\u001B[?1049l");
  }
}

test("shows rollouts on key presses and restores the terminal", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  await terminal.shows("policy:perfect");
  terminal.input.write("\r");
  await terminal.shows("rollout 1 of 2");
  terminal.input.write("\u001B[C");
  await terminal.shows("rollout 2 of 2");
  terminal.input.write("/reward == 1\r");
  await terminal.shows("› 1  0/0");
  terminal.input.write("\r");
  await terminal.shows("rollout 1 of 1");
  terminal.input.write("q");
  await terminal.shows("last reply");
  terminal.input.write("q");
  expect(await done).toBe(0);
  expect(terminal.isRestored).toBe(true);
});

test("redraws when the terminal is resized", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  await terminal.shows("policy:perfect");
  Object.assign(terminal.output, { columns: 40, rows: 10 });
  terminal.output.emit("resize");
  await expect.poll(() => terminal.recorded.split("\r\n").length).toBe(10);
  terminal.input.write("q");
  await done;
});

test("exits with 130 on Ctrl-C", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  terminal.input.write("\u0003");
  expect(await done).toBe(130);
  expect(terminal.isRestored).toBe(true);
});

test("exits when the terminal closes", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  terminal.input.end();
  expect(await done).toBe(0);
  expect(terminal.isRestored).toBe(true);
});

test("exits on a signal and removes its listeners", async () => {
  const before = process.listenerCount("SIGTERM");
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  process.emit("SIGTERM");
  expect(await done).toBe(143);
  expect(terminal.isRestored).toBe(true);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});
