import { createInterface } from "node:readline";

export interface LineReaderOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Called on Ctrl-C. Reading ends. */
  readonly onInterrupt: () => void;
}

/** Reads lines from a terminal or a pipe. */
export interface LineReader {
  /** Returns the next line, or `undefined` at the end of the input. */
  read(prompt: string): Promise<string | undefined>;
  close(): void;
}

export function createLineReader({ input, output, onInterrupt }: LineReaderOptions): LineReader {
  const isTerminal = output.isTTY === true;
  const lines = createInterface({ input, output, terminal: isTerminal });
  const iterator = lines[Symbol.asyncIterator]();
  lines.on("SIGINT", () => {
    onInterrupt();
    lines.close();
  });
  let isClosed = false;
  lines.on("close", () => (isClosed = true));
  return {
    async read(prompt) {
      lines.setPrompt(prompt);
      if (isClosed) output.write(prompt);
      else lines.prompt();
      const next = await iterator.next();
      // A terminal echoes typed lines; echo piped lines too, so that the transcript is complete.
      if (next.done === true) output.write("\n");
      else if (!isTerminal) output.write(`${next.value}\n`);
      return next.done === true ? undefined : next.value;
    },
    close: () => lines.close(),
  };
}
