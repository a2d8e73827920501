import { promisify } from "node:util";
import { gzip } from "node:zlib";

import type { Rollout } from "@envs/core";
import { type Run, runLimits } from "@envs/hub-client";
import { pushedTotals, toRow } from "@envs/records";
import { lineParts } from "@envs/records/node";

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

/** Collects the rollouts of a play as the lines of an upload. */
export function playedRollouts() {
  const lines: string[] = [];
  const counted = pushedTotals();
  let total = 0;
  return {
    /** Throws a {@link PlayProblem} if the rollouts are too large. */
    add(rollout: Rollout): void {
      const line = `${JSON.stringify(toRow(rollout))}\n`;
      const bytes = Buffer.byteLength(line);
      total += bytes;
      if (bytes > runLimits.partBytes || total > maxBytes)
        throw new PlayProblem("size", `The rollouts have more than ${maxBytes} bytes.`);
      lines.push(line);
      counted.add(rollout);
    },
    end: () => ({ parts: [...lineParts(lines, runLimits)], ...counted.result() }),
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
  readonly played: ReturnType<ReturnType<typeof playedRollouts>["end"]>;
}

/** Pushes a play as the hub's own run, through the same checks as the runs of users. Returns its id. */
export async function pushPlay(hub: Hub, play: Play): Promise<string> {
  const { identity, package: package_, declaration, played, startedAt } = play;
  const { details, examples, rolloutsPerExample, size: _size, ...recipe } = declaration.recipe;
  const { parts, exampleSet, totals } = played;
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
      exampleSet,
      totals,
      parts: parts.map(({ text: _text, ...part }) => ({
        kind: "rollouts",
        phase: "",
        step: 0,
        ...part,
      })),
    },
  );
  const run = await hub.database
    .selectFrom("runs")
    .where("id", "=", id)
    .selectAll()
    .executeTakeFirstOrThrow();
  for (const [index, { text }] of parts.entries())
    await storePart(hub, { run }, { index, body: await compress(text) });
  await completeUpload(hub, { id, actor: identity.name });
  return id;
}
