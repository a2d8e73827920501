import { python, type RunResult, type Sandbox } from "@envs/sandbox";

export const provider = python();

const limits = { ms: 10_000, output: 4000 };

/** The Python of a rollout. It starts with the first run, and keeps its variables. */
export interface Interpreter extends AsyncDisposable {
  run(code: string, signal: AbortSignal): Promise<string>;
}

export function interpreter(): Interpreter {
  let opened: Promise<Sandbox> | undefined;
  return {
    async run(code, signal) {
      opened ??= provider.create({ limits });
      return textOf(await (await opened).run(code, { signal }));
    },
    async [Symbol.asyncDispose]() {
      // The run reports that the sandbox cannot start.
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

function textOf({ stdout, stderr, value, truncated, reset }: RunResult): string {
  const isShown = value !== undefined && value !== null;
  const notes = [
    truncated ? `(The output is cut after ${limits.output} bytes.)` : "",
    reset ? "(Python started anew: its variables are lost.)" : "",
  ];
  const parts = [
    stdout,
    isShown ? JSON.stringify(value).slice(0, limits.output) : "",
    stderr,
    ...notes,
  ];
  return (
    parts
      .map((part) => part.trimEnd())
      .filter((part) => part !== "")
      .join("\n") || "(No output.)"
  );
}
