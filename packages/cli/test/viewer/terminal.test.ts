import { PassThrough, Writable } from "node:stream";

import { expect, test } from "vitest";

import { type Terminal, view } from "../../src/viewer/terminal.ts";
import { playedRollout, viewedRun } from "./run.ts";

const run = viewedRun([playedRollout(0, 1), playedRollout(1, 0)]);

/** A terminal that keeps what is written to it. */
class FakeTerminal implements Terminal {
  isRaw = false;
  written = "";
  readonly input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => {
      this.isRaw = isRaw;
      return this.input as never;
    },
  });
  readonly output = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        this.written += String(chunk);
        done();
      },
    }),
    { columns: 80, rows: 24 },
  );

  /** What was written since the last time, once it holds `text`. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.written).toContain(text);
    this.written = "";
  }

  get isAsBefore(): boolean {
    return !this.isRaw && this.written.endsWith("\u001B[?25h\u001B[?1049l");
  }
}

test("a person reads a run and leaves the terminal as it was", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  await terminal.shows("policy:perfect");
  terminal.input.write("n");
  await terminal.shows("rollout 1 of 2");
  terminal.input.write("\u001B[C");
  await terminal.shows("rollout 2 of 2");
  terminal.input.write("/reward == 1\r");
  await terminal.shows("rollout 1 of 1");
  terminal.input.write("q");
  expect(await done).toBe(0);
  expect(terminal.isAsBefore).toBe(true);
});

test("a new size is drawn at once", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  await terminal.shows("policy:perfect");
  Object.assign(terminal.output, { columns: 40, rows: 10 });
  terminal.output.emit("resize");
  await expect.poll(() => terminal.written.split("\r\n").length).toBe(10);
  terminal.input.write("q");
  await done;
});

test("Ctrl-C ends with the exit code of an interrupted program", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  terminal.input.write("\u0003");
  expect(await done).toBe(130);
  expect(terminal.isAsBefore).toBe(true);
});

test("a terminal that closes ends it", async () => {
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  terminal.input.end();
  expect(await done).toBe(0);
  expect(terminal.isAsBefore).toBe(true);
});

test("a signal ends it, and no listener stays behind", async () => {
  const before = process.listenerCount("SIGTERM");
  const terminal = new FakeTerminal();
  const done = view(run, {}, terminal);
  process.emit("SIGTERM");
  expect(await done).toBe(143);
  expect(terminal.isAsBefore).toBe(true);
  expect(process.listenerCount("SIGTERM")).toBe(before);
});
