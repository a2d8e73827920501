import { messageOf } from "@envs/core/engine";

import type { SandboxProvider, SandboxTraits } from "../sandbox.ts";

/** Whether a provider works on this machine. */
export interface Diagnosis {
  readonly traits: SandboxTraits;
  /** The missing program or the failure; `undefined` if a sandbox was created. */
  readonly problem: string | undefined;
  /** The time to create a sandbox in milliseconds: the first one, which may fill caches, and the next. */
  readonly firstStartMs: number | undefined;
  readonly startMs: number | undefined;
}

/** Checks a provider, and creates two sandboxes with it. */
export async function diagnose(provider: SandboxProvider): Promise<Diagnosis> {
  const { traits } = provider;
  try {
    await provider.check();
    const firstStartMs = await timeToCreate(provider);
    const startMs = await timeToCreate(provider);
    return { traits, problem: undefined, firstStartMs, startMs };
  } catch (error) {
    return { traits, problem: messageOf(error), firstStartMs: undefined, startMs: undefined };
  }
}

async function timeToCreate(provider: SandboxProvider): Promise<number> {
  const started = performance.now();
  await using _ = await provider.create();
  return Math.round(performance.now() - started);
}
