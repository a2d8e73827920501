import { javascript, type Sandbox } from "@envs/sandbox";
import * as z from "zod";

/** The sandbox of all code: the model's, and ours. */
export const provider = javascript();
export const limits = { ms: 1000, memory: 32 * 1024 ** 2, output: 4000, disk: 1024 ** 2 };

const outcomesSchema = z.array(z.object({ value: z.json().optional() }));

/**
 * Calls a function that `code` defines, with each list of arguments, and returns the values as JSON; `undefined` for a call that
 * returned none. Code sees arguments only. The caller compares values outside of the sandbox.
 */
export async function callAll(
  box: Sandbox,
  { code, name }: { readonly code: string; readonly name: string },
  inputs: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const failed = inputs.map(() => undefined);
  const definition = await box.run(code);
  if (definition.exitCode !== 0) return failed;
  const calls = inputs.map(
    (input) => `(() => { try { return { value: ${name}(...${input}) }; } catch { return {}; } })()`,
  );
  const { exitCode, value } = await box.run(`[${calls.join(",\n")}]`);
  const outcomes = exitCode === 0 ? outcomesSchema.safeParse(value).data : undefined;
  if (outcomes?.length !== inputs.length) return failed;
  return outcomes.map((outcome) => JSON.stringify(outcome.value));
}
