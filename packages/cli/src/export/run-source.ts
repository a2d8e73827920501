import type { Rollout } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import { UsageError } from "@envs/terminal";

import { fieldsOf } from "../runs/rollout-fields.ts";
import { select } from "../runs/select-rollouts.ts";
import { type Clause, parseClauses } from "../runs/where.ts";
import { isRun, readSource } from "./saved-run.ts";

/** The rollouts of a run, and what a person wants to keep of them. */
export interface RunSource {
  readonly rollouts: readonly Rollout[];
  readonly clauses: readonly Clause[];
  readonly tools: readonly ToolSpec[] | undefined;
  readonly model: string;
}

/** Reads a run. Throws a `UsageError` if there is none, or the expression is wrong. */
export async function readKept(path: string, where = ""): Promise<RunSource> {
  if (!isRun(path))
    throw new UsageError(
      `${path} is not the folder of a run. Name one, such as outputs/evals/…; see: envs view --list`,
    );
  const { run, tools } = await readSource(path);
  // Example by example, not as they happened to finish: one seed, one file.
  const rollouts = select(run.rollouts, {});
  const clauses = where.trim() === "" ? [] : parseClauses(where, fieldsOf(rollouts));
  return { rollouts, clauses, tools, model: run.metadata.model };
}
