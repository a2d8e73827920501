import { onTestFinished } from "vitest";

import type { Checkpoint } from "../../src/tiny/checkpoint.ts";
import { TinyBackend, type TinyOptions } from "../../src/tiny/tiny-backend.ts";
import { smallCheckpoint } from "./small.ts";

/** A running model, closed at the end of the test. */
export async function small(
  options: TinyOptions = {},
  checkpoint: Checkpoint = smallCheckpoint(),
): Promise<TinyBackend> {
  const backend = await TinyBackend.start("small", checkpoint, { slots: 8, ...options });
  onTestFinished(() => backend.close());
  return backend;
}
