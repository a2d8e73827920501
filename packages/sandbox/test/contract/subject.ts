import assert from "node:assert/strict";

import type {
  Limits,
  RunResult,
  Sandbox,
  SandboxOptions,
  SandboxProvider,
} from "../../src/sandbox.ts";
import type { Snippets } from "./snippets.ts";

/** The contract of providers. The keys name tests and complete "it …". Each check rejects if the provider breaks it. */
export type Contract = Readonly<Record<string, () => Promise<void>>>;

/** The limits of the contract's sandboxes, small enough to be reached at once. */
export const limits: Limits = {
  ms: 3000,
  memory: 64 * 1024 ** 2,
  output: 10_000,
  processes: 16,
  disk: 4 * 1024 ** 2,
};

export interface Subject {
  readonly provider: SandboxProvider;
  readonly code: Snippets;
}

/** Runs work in a new sandbox. */
export async function within(
  { provider }: Subject,
  work: (sandbox: Sandbox) => Promise<void>,
  options: SandboxOptions = {},
): Promise<void> {
  await using sandbox = await provider.create({ limits, ...options });
  await work(sandbox);
}

export function succeeded(result: RunResult): string {
  const { exitCode, timedOut, outOfMemory, stdout } = result;
  assert.deepEqual([exitCode, timedOut, outOfMemory], [0, false, false], JSON.stringify(result));
  return stdout.trimEnd();
}

export async function stillWorks(sandbox: Sandbox, code: Snippets): Promise<void> {
  assert.equal(succeeded(await sandbox.run(code.print("still here"))), "still here");
}
