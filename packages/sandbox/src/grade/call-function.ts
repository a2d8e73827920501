import { ConfigError } from "@envs/core";
import * as z from "zod";

import type { Json, RunResult, Sandbox } from "../sandbox.ts";

/** A function of a language, and the code that defines it. */
export interface CodeFunction {
  readonly code: string;
  readonly name: string;
}

/** Code that calls a function with each list of arguments. Its value lists the results as JSON. */
const callers: Readonly<Record<string, (name: string, inputs: readonly string[]) => string>> = {
  javascript: (name, inputs) =>
    `[${inputs.map((input) => `(() => { try { return { value: ${name}(...${input}) }; } catch { return {}; } })()`).join(",\n")}]`,
  python: (name, inputs) => `
import json as _json
def _call(input):
    try: return {"value": _json.loads(_json.dumps(${name}(*_json.loads(input)), allow_nan=False))}
    except Exception: return {}
[_call(input) for input in ${JSON.stringify(inputs)}]`,
};

const outcomesSchema = z.array(z.object({ value: z.json().optional() }));

/**
 * Calls a function that a model wrote, with each list of arguments, and returns the values as JSON; `undefined` for a call that
 * returned none. Code in the sandbox receives arguments only, so compare the values outside of it.
 */
export async function callFunction(
  sandbox: Sandbox,
  { code, name, language = "javascript" }: CodeFunction & { readonly language?: string },
  inputs: readonly (readonly Json[])[],
): Promise<readonly (string | undefined)[]> {
  const caller = callers[language];
  if (caller === undefined)
    throw new ConfigError(
      `Cannot call functions of ${language}. Use a sandbox with one of: ${Object.keys(callers).join(", ")}.`,
    );
  const failed = inputs.map(() => undefined);
  if (!isSuccess(await sandbox.run(code))) return failed;
  const texts = inputs.map((input) => JSON.stringify(input));
  const result = await sandbox.run(caller(name, texts));
  const outcomes = isSuccess(result) ? outcomesSchema.safeParse(result.value).data : undefined;
  if (outcomes?.length !== inputs.length) return failed;
  return outcomes.map(({ value }) => JSON.stringify(value));
}

/** Whether code ran to its end. Code that exits early, or that a limit ended, did not. */
export function isSuccess({ exitCode, timedOut, outOfMemory, reset }: RunResult): boolean {
  return exitCode === 0 && !timedOut && !outOfMemory && !reset;
}
