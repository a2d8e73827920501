import { defineEnvironment } from "@envs/core";
import type { Sandbox, SandboxProvider } from "@envs/sandbox";
import * as z from "zod";

import { checkRule } from "../src/check-rule.ts";
import { sandboxEscape } from "../src/rules/sandbox-escape.ts";
import { prepare } from "../src/subject.ts";
import { sums } from "./sound.ts";

/** Attacks a sandbox, and a tool that runs code in it or by `run`. Returns the targets that were reached. */
export async function attacked(
  provider: SandboxProvider,
  run?: (code: string) => string | Promise<string>,
): Promise<{ readonly tried: string; readonly found: readonly string[] }> {
  const inSandbox = async (sandbox: Sandbox, code: string): Promise<string> => {
    const { stdout, stderr, value } = await sandbox.run(code);
    return [stdout, stderr, JSON.stringify(value)].join("\n");
  };
  const environment = defineEnvironment({
    name: "attacked",
    dataset: () => sums(100, 1),
    requires: [provider],
    setup: async () => ({ sandbox: await provider.create({ limits: { ms: 2000 } }) }),
    tools: {
      run: {
        description: "Runs code.",
        input: z.object({ code: z.string() }),
        execute: ({ code }, { state }) => run?.(code) ?? inSandbox(state.sandbox, code),
      },
    },
    rubric: { constant: () => 1 },
  });
  const { signal } = new AbortController();
  // The rule attacks one example. The other replies of `prepare` would each create a sandbox.
  const options = { environment: environment(), seed: 0, judge: undefined, examples: 1, signal };
  const subject = await prepare(options);
  const { tried, evidence } = await checkRule(sandboxEscape, subject);
  return { tried, found: evidence.map(({ variant }) => variant) };
}
