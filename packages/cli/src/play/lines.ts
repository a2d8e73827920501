import { createInterface } from "node:readline";

export interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Reads what a person types, line by line; piped lines as well. */
export interface Lines {
  /** The next line; `undefined` once there is none any more. */
  read(prompt: string): Promise<string | undefined>;
  close(): void;
}

/** Starts reading. `onInterrupt` hears of Ctrl-C; the lines end there. */
export function readLines({ input, output }: Streams, onInterrupt: () => void): Lines {
  const terminal = output.isTTY === true;
  const lines = createInterface({ input, output, terminal });
  const iterator = lines[Symbol.asyncIterator]();
  lines.on("SIGINT", () => {
    onInterrupt();
    lines.close();
  });
  let isOver = false;
  lines.on("close", () => (isOver = true));
  return {
    async read(prompt) {
      lines.setPrompt(prompt);
      if (isOver) output.write(prompt);
      else lines.prompt();
      const next = await iterator.next();
      // A terminal shows what is typed by itself; where lines are piped in, the transcript should have them too.
      if (next.done === true) output.write("\n");
      else if (!terminal) output.write(`${next.value}\n`);
      return next.done === true ? undefined : next.value;
    },
    close: () => lines.close(),
  };
}
