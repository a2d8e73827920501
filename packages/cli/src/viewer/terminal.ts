import { emitKeypressEvents, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

import type { ViewedRun } from "../runs/open-run.ts";
import type { Selection } from "../runs/select-rollouts.ts";
import { draw, type Screen } from "./screen.ts";
import { type Key, press, startState } from "./state.ts";

export interface Terminal {
  readonly input: Pick<ReadStream, "setRawMode"> & NodeJS.ReadableStream;
  readonly output: Pick<WriteStream, "columns" | "rows"> & NodeJS.WritableStream;
}

const enter = "\u001B[?1049h\u001B[?25l";
const leave = "\u001B[0m\u001B[?25h\u001B[?1049l";

/** What `process` says when someone wants this program to end, and the exit codes that this means. */
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Lets a person read a run in a terminal. Resolves to the exit code when the person is done, when the terminal is
 * closed, or when the process is told to end; the terminal is then as it was.
 */
export async function view(
  run: ViewedRun,
  selection: Selection,
  { input, output }: Terminal,
): Promise<number> {
  let state = startState(run, selection);
  let screen: Screen | undefined;
  const redraw = (): void => {
    const size = {
      columns: Math.max(20, output.columns || 80),
      rows: Math.max(2, output.rows || 24),
    };
    screen = draw(state, size);
    output.write(paintScreen(screen));
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();

  const onKey = (text: string | undefined, key: RawKey | undefined): void => {
    try {
      if (key?.ctrl === true && key.name === "z") return suspend();
      const next = press(state, keyOf(text, key), screen!.extent);
      if (next === undefined) return resolve(key?.ctrl === true && key.name === "c" ? 130 : 0);
      state = next;
      redraw();
    } catch (error) {
      reject(error);
    }
  };
  const open = (): void => {
    input.setRawMode(true);
    output.write(enter);
    redraw();
  };
  const restore = (): void => {
    input.setRawMode(false);
    output.write(leave);
  };
  /** Ctrl-Z: back to the shell, until it brings this back. */
  const suspend = (): void => {
    restore();
    process.once("SIGCONT", open);
    process.kill(process.pid, "SIGTSTP");
  };
  const gone = (): void => resolve(0);
  const signals = Object.entries(endings).map(
    ([name, code]) => [name, (): void => resolve(code)] as const,
  );

  emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface);
  input.on("keypress", onKey).on("end", gone).on("close", gone).on("error", gone);
  output.on("resize", redraw).on("error", gone);
  for (const [name, end] of signals) process.on(name, end);
  process.on("exit", restore);
  try {
    open();
    input.resume();
    return await promise;
  } finally {
    for (const [name, end] of signals) process.off(name, end);
    process.off("exit", restore).off("SIGCONT", open);
    output.off("resize", redraw).off("error", gone);
    input.off("keypress", onKey).off("end", gone).off("close", gone).off("error", gone);
    input.pause();
    restore();
  }
}

interface RawKey {
  readonly name?: string | undefined;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

function keyOf(text: string | undefined, key: RawKey = {}): Key {
  const isTyped =
    text !== undefined && key.ctrl !== true && key.meta !== true && /^[^\p{Cc}]+$/u.test(text);
  const name = isTyped && text.trim() !== "" ? text : (key.name ?? "");
  return {
    name: name === "enter" ? "return" : name,
    ...(isTyped ? { text } : {}),
    isControl: key.ctrl === true,
  };
}

function paintScreen({ lines, cursor }: Screen): string {
  const rows = lines.map((line) => `${line}\u001B[0m\u001B[K`).join("\r\n");
  const place =
    cursor === undefined ? "\u001B[?25l" : `\u001B[${lines.length};${cursor + 1}H\u001B[?25h`;
  return `\u001B[?25l\u001B[H${rows}${place}`;
}
