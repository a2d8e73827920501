import { type EnvironmentManifest, readManifest } from "@envs/hub-client";
import type { ReplayedRollout } from "@envs/records/bundle";
import * as z from "zod";

import { storedFiles } from "../packages/files/stored-files.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** The bundle of a published version. */
export interface BundleCode {
  readonly code: string;
  readonly sha256: string;
  readonly manifest: EnvironmentManifest;
  /** The version of the core in the bundle. */
  readonly core: string;
  /** Whether a score compares the rollouts of an example. */
  readonly hasGroupScores: boolean;
}

/** The maximum size of a bundle: a larger one takes too long to parse in the sandbox. */
const maxBundleBytes = 8 * 2 ** 20;

/** A manifest, and its bundle if the sandbox can run it. */
interface ListedBundle {
  readonly manifest: EnvironmentManifest;
  readonly bundle: Extract<EnvironmentManifest["bundle"], { readonly path: string }>;
}

/** Returns what the manifest of a version lists. Throws a {@link ReplayProblem} if the sandbox cannot run its bundle. */
export async function listedBundle(
  { database }: Pick<Hub, "database">,
  versionId: number,
): Promise<ListedBundle> {
  const row = await database
    .selectFrom("environments")
    .where("version_id", "=", versionId)
    .select("manifest")
    .executeTakeFirst();
  const { manifest } = readManifest(Buffer.from(JSON.stringify(row?.manifest ?? null)));
  const bundle = manifest?.bundle;
  if (manifest === undefined || bundle === undefined)
    throw new ReplayProblem("The package has no bundle. Build it with a newer envs build.");
  if (!("path" in bundle))
    throw new ReplayProblem(`The environment runs only in Node: ${bundle.problem}`);
  if (bundle.callsModels)
    throw new ReplayProblem(
      "The environment calls a model itself, such as a judge or an opponent.",
    );
  if (bundle.size > maxBundleBytes)
    throw new ReplayProblem(
      `The bundle has ${bundle.size} bytes; the sandbox accepts at most ${maxBundleBytes}.`,
    );
  return { manifest, bundle };
}

/** Reads the bundle of a version. Throws a {@link ReplayProblem} if its rollouts cannot be replayed. */
export async function bundleCode(hub: Hub, versionId: number): Promise<BundleCode> {
  const { manifest, bundle } = await listedBundle(hub, versionId);
  const files = await storedFiles(hub, versionId);
  const code = files.get(bundle.path)?.toString("utf8");
  if (code === undefined) throw new ReplayProblem("The package lacks the bundle that it lists.");
  const hasGroupScores = manifest.scores.some(({ isGroup }) => isGroup);
  return { code, sha256: bundle.sha256, manifest, core: manifest.core, hasGroupScores };
}

const message = z.looseObject({ role: z.string(), content: z.string() });
const messages = z.array(message);

const replayed = z.union([
  z.object({ problem: z.string().max(10_000) }),
  z.object({
    reward: z.number(),
    scores: z.record(z.string(), z.number().nullable()),
    stopReason: z.string(),
    isTruncated: z.boolean(),
    prompt: messages,
    completion: messages,
    unjudged: z.record(z.string(), z.number()).optional(),
  }),
]);

const response = z.union([
  z.object({ result: z.looseObject({}) }),
  z.object({ error: z.object({ message: z.string() }) }),
]);

/** The methods of a bundle that play an episode. */
export type BundleMethod = "examples" | "start" | "respond" | "advise" | "score" | "close";

/** Why the replay of a run ended. The message is for the run's page. */
export class ReplayProblem extends Error {
  override readonly name = "ReplayProblem";
}

/** The bundle answered, but rejects the request: it has no such example or option. */
export class BundleRejection extends ReplayProblem {
  /** Whether the dataset has another example at the position, or none. */
  get isOtherExample(): boolean {
    return /^Example \d+ of the dataset has the key |^The dataset has no example \d/.test(
      this.message,
    );
  }
}

/** Reads a bundle's response. The bundle is not trusted, so its response may have any form. */
export function readResponse(text: string): Readonly<Record<string, unknown>> {
  const parsed = response.safeParse(jsonOf(text));
  if (!parsed.success) throw new ReplayProblem(invalid);
  if ("error" in parsed.data) throw new BundleRejection(parsed.data.error.message.slice(0, 1000));
  return parsed.data.result;
}

const invalid = "The bundle's response is not valid.";

/** Reads a bundle's response to the replay of `count` rollouts. */
export function readReplayResponse(text: string, count: number): readonly ReplayedRollout[] {
  const parsed = z.object({ rollouts: z.array(replayed) }).safeParse(readResponse(text));
  if (!parsed.success) throw new ReplayProblem(invalid);
  const { rollouts } = parsed.data;
  if (rollouts.length === count) return rollouts as readonly ReplayedRollout[];
  throw new ReplayProblem(`The bundle scored ${rollouts.length} rollouts of ${count}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
