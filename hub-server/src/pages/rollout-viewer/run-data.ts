import type { Run } from "@envs/hub-client";
import { isReadable } from "@envs/records";
import {
  type RunHead,
  type RunMessage,
  type SearchMatch,
  searchRollout,
  viewParsedRecord,
} from "@envs/viewer";

import { listRollouts, listSteps, readMetrics } from "../../evaluations/rollouts/list-rollouts.ts";
import { readRows } from "../../evaluations/rollouts/read-rows.ts";
import { describedScores } from "../../evaluations/runs/read-runs.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type RunReference, stepReference, toEntry, toRow, toScores } from "./run-rows.ts";

const pageSize = 2000;
const rowsPerRead = 50;

function usesOf({ summary: { tools, judges = {} } }: Run): Pick<RunHead, "tools" | "judge"> {
  const sum = (field: "calls" | "inputTokens" | "outputTokens"): number =>
    Object.values(judges).reduce((total, judge) => total + judge[field], 0);
  const judge = {
    calls: sum("calls"),
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
  };
  return { tools, judge: judge.calls > 0 ? judge : undefined };
}

/** Sends a run to the viewer: its head, its rollouts without messages, and the curves of a training. */
export async function* runMessages(
  { database }: Hub,
  run: Run,
  { step: only }: RunReference,
): AsyncGenerator<RunMessage> {
  const isTraining = run.kind === "training" && only === undefined;
  const steps = isTraining ? await listSteps(database, run.id) : [];
  const scores = toScores(run, await describedScores(database, run));
  const head: RunHead = {
    ...toEntry(run),
    ...(only === undefined
      ? {}
      : {
          id: stepReference(run.id, only),
          kind: "evaluation",
          model: `${run.recipe.model}, step ${only.step} of ${only.phase}`,
          rollouts: null,
          training: run.id,
        }),
    scores,
    passThreshold: run.recipe.passThreshold,
    format: "envs",
    metadata: { ...run.recipe, summary: run.summary, owner: run.owner, content: run.contentHash },
    ...usesOf(run),
    planned: null,
    steps: steps.map(({ phase, step }) => ({
      phase,
      step,
      run: stepReference(run.id, { phase, step }),
    })),
  };
  yield { type: "head", head };
  if (isTraining) yield { type: "curves", points: await readMetrics(database, run.id) };
  else
    for (let from: number | null = 0; from !== null;) {
      const page = await listRollouts(database, run, { from, limit: pageSize, ...only });
      yield { type: "rows", rows: page.items.map(toRow) };
      from = page.next;
    }
  yield { type: "ready" };
}

/** Finds the messages of a run that contain a text, one page of rollouts after another. */
export async function* searchMessages(
  hub: Hub,
  { id }: Run,
  text: string,
  isClosed: () => boolean,
): AsyncGenerator<SearchMatch> {
  const query = text.toLowerCase();
  if (query === "") return;
  for (let from: number | null = 0; from !== null && !isClosed();) {
    const page = await readRows(hub, id, { from, limit: rowsPerRead });
    for (const [index, row] of page.items.entries()) {
      const read = viewParsedRecord(row);
      if (isReadable(read)) yield* searchRollout(read[0]!, String(from + index), query);
    }
    from = page.next;
  }
}
