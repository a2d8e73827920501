import { splitSizesOf } from "@envs/core/engine";
import {
  type EnvironmentManifest,
  environmentManifest,
  manifestSchemaVersion,
} from "@envs/hub-client";
import { FailureError, UsageError } from "@envs/terminal";
import * as z from "zod";

import { configSchema } from "../environments/config-options.ts";
import { describeEnvironment } from "../environments/describe.ts";
import type { LoadedEnvironment } from "../environments/load-environment.ts";
import type { BuiltPackage } from "./built-package.ts";
import { exampleOf } from "./example-conversation.ts";
import { portable } from "./portable.ts";

/** The manifest of a package and the environment that it exports. The same each time: its example is of seed 0. */
export async function makeManifest(
  { root, name: packageName, version, description, core }: BuiltPackage,
  loaded: LoadedEnvironment,
): Promise<EnvironmentManifest> {
  const environment = loaded.factory();
  if (packageName.split("/").at(-1) !== environment.name)
    throw new UsageError(
      `The environment is named ${environment.name}, its package ${packageName}. The last part of a package's name must be the environment's: rename one of them.`,
    );
  const { opponent, ...described } = await describeEnvironment(loaded);
  const about = described.description ?? description;
  const manifest: EnvironmentManifest = {
    schema: manifestSchemaVersion,
    name: environment.name,
    ...(about === undefined ? {} : { description: about }),
    package: { name: packageName, version },
    tags: [...described.tags],
    kind: described.kind,
    config: portable(configSchema(environment.definition), root),
    scores: described.scores.map(({ range, ...score }) =>
      range?.every(Number.isFinite) === true ? { ...score, range: [...range] } : score,
    ),
    tools: described.tools.map(({ parameters, ...tool }) => ({ ...tool, input: parameters })),
    splits: [...(await splitSizesOf(environment))],
    policies: [...described.policies],
    ...(opponent === undefined ? {} : { opponent }),
    maxTurns: described.maxTurns,
    example: await exampleOf(environment),
    core,
    runtimes: ["node"],
    contentHash: loaded.contentHash,
  };
  const parsed = environmentManifest.safeParse(manifest);
  if (parsed.success) return parsed.data;
  throw new FailureError(
    `The manifest of ${environment.name} does not fit its format:\n${z.prettifyError(parsed.error)}`,
  );
}
