import type { RunResult, Sandbox } from "@envs/sandbox";

import { limits, provider } from "./calls.ts";
import type { Task } from "./tasks.ts";

/** The sandbox in which the model runs code. It starts with the first run. */
export interface Workbench extends AsyncDisposable {
  run(code: string, signal: AbortSignal): Promise<string>;
  /** The module as an agent program has left it in its folder; `undefined` if it has not changed it. */
  saved: string | undefined;
}

export const moduleFile = "module.js";

/** The function with its bug as a module. */
export function moduleText({ source, name }: Pick<Task, "source" | "name">): string {
  return `${source}\nmodule.exports = { ${name} };\n`;
}

export function workbench(task: Task): Workbench {
  let opened: Promise<Sandbox> | undefined;
  return {
    saved: undefined,
    async run(code, signal) {
      const files = { [moduleFile]: moduleText(task) };
      opened ??= provider.create({ files, limits });
      return textOf(await (await opened).run(code, { signal }));
    },
    async [Symbol.asyncDispose]() {
      // The run reports that the sandbox cannot start.
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

function textOf({ stdout, stderr, value, truncated }: RunResult): string {
  const result = value === undefined ? "" : JSON.stringify(value).slice(0, limits.output);
  const note = truncated ? `(The output is cut after ${limits.output} bytes.)` : "";
  const parts = [stdout, result, stderr, note].map((text) => text.trimEnd());
  return parts.filter((text) => text !== "").join("\n") || "(No output.)";
}
