import { createHash } from "node:crypto";

import { FailureError } from "@envs/cli/kit";
import type { Rollout } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { runLimits, type RunPart, type RunUpload } from "@envs/hub-client";
import { exampleSetHash, toRow } from "@envs/records";

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

/** Divides lines into parts of limited size. The same lines always give the same parts, so that an upload can continue. */
export function partsOf(sources: readonly PartSource[]): RunParts {
  const parts: RunPart[] = [];
  const texts: string[] = [];
  for (const { kind, phase = "", step = 0, values } of sources)
    for (const lines of batches(values.map((value) => `${JSON.stringify(value)}\n`))) {
      const text = lines.join("");
      const bytes = Buffer.from(text);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      parts.push({ kind, phase, step, sha256, bytes: bytes.byteLength, lines: lines.length });
      texts.push(text);
    }
  return { parts, contentOf: (part) => texts[part] ?? "" };
}

function* batches(lines: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    const size = Buffer.byteLength(line);
    if (size > runLimits.partBytes)
      throw new FailureError(
        `Line ${index + 1} of the run has ${size} bytes. A hub accepts at most ${runLimits.partBytes} for each rollout. Evaluate again without --tokens, or with a limit: --max-total-tokens`,
      );
    if (bytes + size > runLimits.partBytes || batch.length === runLimits.partLines) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** The rollouts in the order of the dataset, as rows. */
export function rowsOf(rollouts: readonly Rollout[]): readonly unknown[] {
  return rollouts
    .toSorted((a, b) => a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex)
    .map(toRow);
}

/** The totals that the hub compares with its own count. */
export function totalsOf(rollouts: readonly Rollout[]): Pick<RunUpload, "totals" | "exampleSet"> {
  const summarizer = createSummarizer([]);
  for (const rollout of rollouts) summarizer.add(rollout);
  const { counts, reward, usage } = summarizer.summary();
  return {
    exampleSet: exampleSetHash(rollouts.map(({ exampleKey }) => exampleKey)),
    totals: {
      rollouts: counts.total,
      scored: counts.scored,
      reward: reward.mean,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
    },
  };
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
