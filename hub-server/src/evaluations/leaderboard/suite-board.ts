import {
  readSuiteFile,
  type Run,
  suiteFile,
  type SuiteMember,
  type SuiteRow,
} from "@envs/hub-client";

import type { Package } from "../../access/permissions/require-package.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { storedFiles } from "../../packages/files/stored-files.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { readRuns } from "../runs/read-runs.ts";
import { isRanked } from "./leaderboard.ts";
import { type LockedMember, lockedMembers } from "./suite-members.ts";
import { suiteRows } from "./suite-rows.ts";

/** The leaderboard of a version of a suite. */
export interface SuiteBoard {
  readonly version: string;
  /** The number of evaluations in the suite, also of those that the visitor may not read. */
  readonly locked: number;
  readonly members: readonly SuiteMember[];
  readonly rows: readonly SuiteRow[];
}

interface SuiteQuery {
  readonly package: Package;
  readonly identity: Identity | undefined;
  /** Default: the latest version. */
  readonly version?: string | undefined;
}

/**
 * Ranks models by their runs on all environments of a suite. Undefined if the version does not exist or has no valid suite
 * file. The caller must have checked read access to the suite; the board omits members that the identity may not read, as if
 * they were not on the hub.
 */
export async function suiteBoardOf(
  hub: Hub,
  { package: package_, identity, version }: SuiteQuery,
): Promise<SuiteBoard | undefined> {
  const { database } = hub;
  const stored = await suiteVersion(database, package_.id, version);
  if (stored === undefined) return undefined;
  const file = (await storedFiles(hub, stored.id)).get(suiteFile);
  const { entries } = readSuiteFile(file?.toString("utf8") ?? "");
  if (entries === undefined) return undefined;
  const columns = [];
  for (const member of await lockedMembers(database, identity, entries))
    columns.push(await runsOfMember(database, identity, member));
  return {
    version: stored.version,
    locked: entries.length,
    members: columns.map(({ member }) => member),
    rows: suiteRows(columns.map(({ runs }) => runs)),
  };
}

/** The version, if it has a suite file: tarballs of other packages are not opened. */
async function suiteVersion(database: Database, packageId: number, version: string | undefined) {
  return await database
    .selectFrom("versions")
    .innerJoin("files", "files.version_id", "versions.id")
    .where("files.path", "=", suiteFile)
    .where("versions.package_id", "=", packageId)
    .where("versions.unpublished_at", "is", null)
    .$if(version !== undefined, (query) => query.where("versions.version", "=", version ?? ""))
    .$if(version === undefined, (query) =>
      query.where("versions.id", "in", (tags) =>
        tags
          .selectFrom("dist_tags")
          .where("dist_tags.package_id", "=", packageId)
          .where("tag", "=", "latest")
          .select("version_id"),
      ),
    )
    .select(["versions.id", "versions.version"])
    .executeTakeFirst();
}

/** Options of `envs eval` that `envs suite run` does not have: a run with one of them had other limits. */
const limits = ["maxTurns", "maxTotalTokens", "turnTimeout", "rolloutTimeout", "hookTimeout"];

/** A member of a suite and the runs that count for it, the newest first. */
interface MemberRuns {
  readonly member: SuiteMember;
  readonly runs: readonly Run[];
}

/** Reads the ranked runs of a member whose recipes match the suite. */
async function runsOfMember(
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
  const matching = runs.filter((run) => isRanked(run) && matchesMember(run, member));
  // A dataset may have fewer examples than the suite asks for, but not fewer for one user than for others.
  const most = Math.max(...matching.map(({ summary }) => summary.examples));
  return { member, runs: matching.filter(({ summary }) => summary.examples === most) };
}

/** Whether a run of the member's version and config has the rest of its recipe. A dataset may have fewer examples. */
function matchesMember(
  { recipe: { split, sampling, details }, summary: { examples, counts } }: Run,
  member: Pick<SuiteMember, "split" | "examples" | "rolloutsPerExample">,
): boolean {
  return (
    split === member.split &&
    (details["examples"] ?? examples) === member.examples &&
    examples <= member.examples &&
    counts.total === examples * member.rolloutsPerExample &&
    Object.keys(sampling).length === 0 &&
    details["select"] === undefined &&
    limits.every((name) => details[name] === undefined)
  );
}
