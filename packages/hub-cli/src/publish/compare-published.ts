import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { loadEnvironment } from "@envs/cli/kit/environments";
import { type RecordedRun, replayRecorded } from "@envs/cli/kit/runs";
import { messageOf } from "@envs/core/engine";
import {
  type EnvironmentManifest,
  isBumpSufficient,
  isHubRequestError,
  manifestChanges,
  manifestFile,
  readManifest,
  requiredBump,
  type HubClient,
} from "@envs/hub-client";
import { isReadable, parseRow } from "@envs/records";
import type { RewardDiff } from "@envs/records/bundle";
import { mediaFilesIn } from "@envs/viewer";

/** The maximum number of runs: enough to notice a changed reward, and few enough to download before each publication. */
const maxRuns = 5;
const maxRollouts = 100;

/**
 * Compares a package that is about to be published with the latest version on the hub: their manifests, and the rewards that both
 * give to the rollouts that were pushed for it. Warns if its version is raised too little, and of parts that could not be
 * compared.
 */
export async function comparePublished({
  client,
  root,
  name,
  version,
}: {
  readonly client: HubClient;
  readonly root: string;
  readonly name: string;
  readonly version: string;
}): Promise<readonly string[]> {
  const published = await publishedVersion(client, name);
  if (published === undefined) return [];
  const { manifest } = readManifest(await readFile(join(root, manifestFile)));
  if (manifest === undefined) return [];
  const warnings: string[] = [];
  const diff = await replayPushed(client, { root, name, version: published.version }).catch(
    (error: unknown) =>
      void warnings.push(
        `Cannot compare the rewards of ${version} with those of ${published.version}: ${messageOf(error)} Compare them yourself with saved runs: envs run replay ${root}`,
      ),
  );
  const changes = manifestChanges(published.environment, manifest);
  const { bump, reasons } = requiredBump(changes, diff ?? undefined);
  if (isBumpSufficient(published.version, version, bump)) return warnings;
  const evidence = diff && !diff.isSame && diff.rollouts > 0 ? ` ${evidenceText(diff)}` : "";
  return [
    ...warnings,
    `${version} follows ${published.version}, but this is a ${bump} change: ${reasons.join("; ")}.${evidence} Users expect that numbers of the two versions can be compared. To raise it: npm version ${bump}`,
  ];
}

function evidenceText({ rollouts, rescored, conversations, unplayable }: RewardDiff): string {
  return `Of ${rollouts} rollouts on the hub, ${rescored} get other scores, ${conversations} other messages, and ${unplayable} cannot be replayed.`;
}

interface Published {
  readonly version: string;
  readonly environment: EnvironmentManifest;
}

/** The latest version; `undefined` if the package is new or not an environment, or if the registry is not a hub. */
async function publishedVersion(client: HubClient, name: string): Promise<Published | undefined> {
  try {
    const { environment, version } = await client.readVersion({ name, version: "latest" });
    return environment === null ? undefined : { version, environment };
  } catch (error) {
    if (isHubRequestError(error) && (error.status === 404 || error.code === "not-a-hub"))
      return undefined;
    throw error;
  }
}

async function replayPushed(
  client: HubClient,
  {
    root,
    name,
    version,
  }: { readonly root: string; readonly name: string; readonly version: string },
): Promise<RewardDiff> {
  const runs = await pushedRuns(client, { name, version });
  const { factory } = await loadEnvironment(root);
  return await replayRecorded(factory, runs);
}

async function pushedRuns(
  client: HubClient,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<readonly RecordedRun[]> {
  const { items } = await client.listRuns({ name, version, kind: "evaluation", limit: maxRuns });
  return await Promise.all(
    items.map(async ({ id, recipe }): Promise<RecordedRun> => {
      const { items: rows } = await client.readRollouts({ run: id, limit: maxRollouts });
      const { maxTurns } = recipe.details;
      return {
        model: recipe.model,
        config: recipe.config,
        seed: recipe.seed ?? undefined,
        split: recipe.split ?? undefined,
        maxTurns: typeof maxTurns === "number" ? maxTurns : undefined,
        rollouts: rows
          .map((row) => JSON.stringify(row))
          // Skips rollouts with media: their prompts contain references, while a replay has the bytes.
          .filter((text) => mediaFilesIn(text).size === 0)
          .map(parseRow)
          .filter(isReadable),
      };
    }),
  );
}
