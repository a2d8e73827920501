import { emitKeypressEvents, type Interface, type Key as ReadlineKey } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

import type { ViewedRun } from "../runs/run-folder.ts";
import type { Selection } from "../runs/select-rollouts.ts";
import { openNextMedia, openWithSystem } from "./open-media.ts";
import { press } from "./press.ts";
import { draw, type Screen } from "./screen.ts";
import { type Key, startState } from "./state.ts";

export interface Terminal {
  /** Opens a file or URL. Default: with the system's program for it. */
  readonly openFile?: (path: string) => void;
  readonly input: Pick<ReadStream, "setRawMode"> & NodeJS.ReadableStream;
  readonly output: Pick<WriteStream, "columns" | "rows"> & NodeJS.WritableStream;
}

const enterAlternateScreen = "\u001B[?1049h\u001B[?25l";
const leaveAlternateScreen = "\u001B[0m\u001B[?25h\u001B[?1049l";

/** The exit code for each signal that ends the process. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Shows a run interactively in a terminal. Resolves to the exit code when the user quits, the terminal closes or a signal
 * ends the process, and restores the terminal.
 */
export async function view(
  run: ViewedRun,
  selection: Selection,
  { input, output, openFile = openWithSystem }: Terminal,
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

  const onKey = (text: string | undefined, key: ReadlineKey | undefined): void => {
    try {
      if (key?.ctrl === true && key.name === "z") return suspend();
      const next = press(state, keyOf(text, key), screen!.extent);
      if (next === undefined) return resolve(key?.ctrl === true && key.name === "c" ? 130 : 0);
      state = next.isOpening === true ? openNextMedia(next, openFile) : next;
      redraw();
    } catch (error) {
      reject(error);
    }
  };
  const open = (): void => {
    input.setRawMode(true);
    output.write(enterAlternateScreen);
    redraw();
  };
  const restore = (): void => {
    input.setRawMode(false);
    output.write(leaveAlternateScreen);
  };
  /** Ctrl-Z: returns to the shell until the user continues the process. */
  const suspend = (): void => {
    restore();
    process.once("SIGCONT", open);
    process.kill(process.pid, "SIGTSTP");
  };
  const onClose = (): void => resolve(0);
  const signals = Object.entries(exitCodes).map(
    ([name, code]) => [name, (): void => resolve(code)] as const,
  );

  emitKeypressEvents(input, { escapeCodeTimeout: 50 } as unknown as Interface);
  input.on("keypress", onKey).on("end", onClose).on("close", onClose).on("error", onClose);
  output.on("resize", redraw).on("error", onClose);
  for (const [name, onSignal] of signals) process.on(name, onSignal);
  process.on("exit", restore);
  try {
    open();
    input.resume();
    return await promise;
  } finally {
    for (const [name, onSignal] of signals) process.off(name, onSignal);
    process.off("exit", restore).off("SIGCONT", open);
    output.off("resize", redraw).off("error", onClose);
    input.off("keypress", onKey).off("end", onClose).off("close", onClose).off("error", onClose);
    input.pause();
    restore();
  }
}

function keyOf(text: string | undefined, key: ReadlineKey = {}): Key {
  const isPrintable =
    text !== undefined && key.ctrl !== true && key.meta !== true && /^[^\p{Cc}]+$/u.test(text);
  const name = isPrintable && text.trim() !== "" ? text : (key.name ?? "");
  return {
    name: name === "enter" ? "return" : name,
    text: isPrintable ? text : undefined,
    isControl: key.ctrl === true,
  };
}

function paintScreen({ lines, cursor }: Screen): string {
  const rows = lines.map((line) => `${line}\u001B[0m\u001B[K`).join("\r\n");
  const cursorCode =
    cursor === undefined ? "\u001B[?25l" : `\u001B[${lines.length};${cursor + 1}H\u001B[?25h`;
  return `\u001B[?25l\u001B[H${rows}${cursorCode}`;
}
