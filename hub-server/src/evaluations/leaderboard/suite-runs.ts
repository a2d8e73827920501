import type { Run, SuiteMember } from "@envs/hub-client";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { readRuns } from "../runs/read-runs.ts";
import type { LockedMember } from "./suite-members.ts";

/** Options of `envs eval` that `envs suite run` does not have: a run with one of them had other limits. */
const limits = ["maxTurns", "maxTotalTokens", "turnTimeout", "rolloutTimeout", "hookTimeout"];

/** A member of a suite and the runs that count for it, the newest first. */
interface MemberRuns {
  readonly member: SuiteMember;
  readonly runs: readonly Run[];
}

/** Reads the runs of a member whose recipes match the suite, all on the same examples. */
export async function runsOfMember(
  database: Database,
  identity: Identity | undefined,
  { packageId, member }: LockedMember,
): Promise<MemberRuns> {
  const { version, configHash } = member;
  const runs = await readRuns(database, identity, {
    packageId,
    version,
    configHash,
    kind: "evaluation",
  });
  const matching = runs.filter((run) => matchesMember(run, member));
  const exampleSet = commonExampleSet(matching);
  return {
    member: { ...member, exampleSet },
    runs: matching.filter(({ recipe }) => recipe.exampleSet === exampleSet),
  };
}

/** Whether a run of the member's version and config has the rest of its recipe. A dataset may have fewer examples. */
function matchesMember(
  { recipe: { seed, split, sampling, details }, summary: { examples, counts } }: Run,
  member: Pick<SuiteMember, "seed" | "split" | "examples" | "rolloutsPerExample">,
): boolean {
  return (
    seed === member.seed &&
    split === member.split &&
    (details["examples"] ?? examples) === member.examples &&
    examples <= member.examples &&
    counts.total === examples * member.rolloutsPerExample &&
    Object.keys(sampling).length === 0 &&
    details["shuffle"] !== true &&
    limits.every((name) => details[name] === undefined)
  );
}

/**
 * The example set that the most owners have runs of, else the largest, else the first that was pushed. So one owner cannot
 * replace the examples of others.
 */
function commonExampleSet(runs: readonly Run[]): string | null {
  const sets = [...Map.groupBy(runs, ({ recipe }) => recipe.exampleSet)].map(([set, runs]) => ({
    set,
    owners: new Set(runs.map(({ owner }) => owner)).size,
    examples: runs[0]!.summary.examples,
    first: runs.map(({ pushedAt }) => pushedAt).toSorted()[0]!,
  }));
  const [common] = sets.toSorted(
    (a, b) => b.owners - a.owners || b.examples - a.examples || (a.first < b.first ? -1 : 1),
  );
  return common?.set ?? null;
}
