import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import type { Rollout } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";
import { type Run, runLimits, type RunPart } from "@envs/hub-client";
import { exampleSetHash, toRow } from "@envs/records";

import type { Package } from "../access/permissions/require-package.ts";
import { completeUpload } from "../evaluations/upload/complete-upload.ts";
import { createUpload } from "../evaluations/upload/create-upload.ts";
import { storePart } from "../evaluations/upload/store-part.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Row } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { PlayProblem } from "./play-problem.ts";

const compress = promisify(gzip);
/** The maximum size of a play's rollouts, which the hub holds in memory. */
const maxBytes = 64 * 2 ** 20;

interface Part {
  readonly text: string;
  readonly lines: number;
}

/** Collects the rollouts of a play as the parts of an upload. */
export function playedParts() {
  const parts: Part[] = [];
  const keys: string[] = [];
  const summarizer = createSummarizer([]);
  let text: string[] = [];
  let size = 0;
  let total = 0;
  const flush = (): void => {
    if (text.length > 0) parts.push({ text: text.join(""), lines: text.length });
    text = [];
    size = 0;
  };
  return {
    /** Throws a {@link PlayProblem} if the rollouts are too large. */
    add(rollout: Rollout): void {
      const line = `${JSON.stringify(toRow(rollout))}\n`;
      const bytes = Buffer.byteLength(line);
      total += bytes;
      if (bytes > runLimits.partBytes || total > maxBytes)
        throw new PlayProblem("size", `The rollouts have more than ${maxBytes} bytes.`);
      if (size + bytes > runLimits.partBytes || text.length === runLimits.partLines) flush();
      text.push(line);
      size += bytes;
      keys.push(rollout.exampleKey);
      summarizer.add(rollout);
    },
    end() {
      flush();
      return { parts, exampleSet: exampleSetHash(keys), summary: summarizer.summary() };
    },
  };
}

/** What the hub has played. */
export interface Play {
  readonly identity: Identity;
  readonly package: Package;
  readonly declaration: Row<"declarations">;
  readonly coreVersion: string;
  readonly price: Run["recipe"]["price"];
  readonly startedAt: Date;
  readonly played: ReturnType<ReturnType<typeof playedParts>["end"]>;
}

/** Pushes a play as the hub's own run, through the same checks as the runs of users. Returns its id. */
export async function pushPlay(hub: Hub, play: Play): Promise<string> {
  const { identity, package: package_, declaration, played, startedAt } = play;
  const { details, examples, rolloutsPerExample, size: _size, ...recipe } = declaration.recipe;
  const { counts, reward, usage } = played.summary;
  const seconds = (hub.clock().getTime() - startedAt.getTime()) / 1000;
  const id = await createUpload(
    hub,
    { identity, package: package_ },
    {
      kind: "evaluation",
      ...recipe,
      seed: declaration.seed,
      declaration: declaration.id,
      driver: "the hub",
      coreVersion: play.coreVersion,
      price: play.price,
      details: { ...details, examples, rolloutsPerExample, seconds },
      modelPackage: null,
      startedAt: startedAt.toISOString(),
      exampleSet: played.exampleSet,
      totals: {
        rollouts: counts.total,
        scored: counts.scored,
        reward: reward.mean,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
      },
      parts: played.parts.map(partOf),
    },
  );
  const run = await hub.database
    .selectFrom("runs")
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirstOrThrow();
  for (const [index, { text }] of played.parts.entries())
    await storePart(hub, { run }, { index, body: await compress(text) });
  await completeUpload(hub, { id, actor: identity.name });
  return id;
}

function partOf({ text, lines }: Part): RunPart {
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { kind: "rollouts", phase: "", step: 0, sha256, bytes: bytes.byteLength, lines };
}
