import { FailureError } from "@envs/cli/kit";
import type { Rollout } from "@envs/core";
import { runLimits, type RunPart, type RunUpload } from "@envs/hub-client";
import { type PushedTotals, pushedTotals, toRow } from "@envs/records";
import { lineParts } from "@envs/records/node";

import type { PlayedPackage } from "../runs/run-connection.ts";

/** Lines of JSON that a part of an upload may contain. */
export interface PartSource {
  readonly kind: RunPart["kind"];
  readonly phase?: string | undefined;
  readonly step?: number | undefined;
  readonly values: readonly unknown[];
}

/** The parts of an upload, with their lines. */
export interface RunParts {
  readonly parts: readonly RunPart[];
  readonly contentOf: (part: number) => string;
}

/** Divides lines into parts of limited size, as {@link lineParts}. Throws a `FailureError` for a line that no hub accepts. */
export function partsOf(sources: readonly PartSource[]): RunParts {
  const parts: RunPart[] = [];
  const texts: string[] = [];
  for (const { kind, phase = "", step = 0, values } of sources)
    for (const { text, ...part } of lineParts(linesOf(values), runLimits)) {
      parts.push({ kind, phase, step, ...part });
      texts.push(text);
    }
  return { parts, contentOf: (part) => texts[part] ?? "" };
}

function* linesOf(values: readonly unknown[]): Generator<string> {
  for (const [index, value] of values.entries()) {
    const line = `${JSON.stringify(value)}\n`;
    const size = Buffer.byteLength(line);
    if (size > runLimits.partBytes)
      throw new FailureError(
        `Line ${index + 1} of the run has ${size} bytes. A hub accepts at most ${runLimits.partBytes} for each rollout. Evaluate again without --tokens, or with a limit: --max-total-tokens`,
      );
    yield line;
  }
}

/** The rollouts in the order of the dataset, as rows. */
export function rowsOf(rollouts: readonly Rollout[]): readonly unknown[] {
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map(toRow);
}

/** The totals that the hub compares with its own count. */
export function totalsOf(rollouts: readonly Rollout[]): PushedTotals {
  const counted = pushedTotals();
  for (const rollout of rollouts) counted.add(rollout);
  return counted.result();
}

/** A saved run, ready to push to the hub that has its package. */
export interface LocalRun {
  readonly package: PlayedPackage;
  readonly rollouts: number;
  /** The description without the fields that the hub adds. */
  readonly upload: Omit<RunUpload, "package" | "version" | "integrity" | "contentHash">;
  /** The lines of a part, or the bytes of a file. */
  readonly contentOf: (part: number) => string | Promise<Uint8Array>;
}
