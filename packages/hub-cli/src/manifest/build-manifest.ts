import { isAbsolute, relative, resolve } from "node:path";

import { FailureError, UsageError } from "@envs/cli/kit";
import {
  configSchema,
  describeEnvironment,
  loadEnvironment,
  type LoadedEnvironment,
  isStale,
  packageHash,
} from "@envs/cli/kit/environments";
import type { JudgePrompt } from "@envs/core";
import { omitUndefined, type ScoreDescription, splitSizesOf } from "@envs/core/engine";
import {
  type EnvironmentManifest,
  environmentManifest,
  manifestSchemaVersion,
} from "@envs/hub-client";
import * as z from "zod";

import {
  isBundleWritten,
  packageBundle,
  type PackageBundle,
  writeBundle,
} from "../bundle/package-bundle.ts";
import { builtPackage, type BuiltPackage } from "./built-package.ts";
import { exampleConversation } from "./example-conversation.ts";
import {
  checkPacked,
  compareManifest,
  type ManifestComparison,
  writeManifest,
} from "./manifest-file.ts";

/** The result of building or checking a manifest. */
export interface BuildOutcome {
  readonly manifest: EnvironmentManifest;
  /** `stale` and `missing` occur only in a check, which does not write the file. */
  readonly state: "written" | "same" | "stale" | "missing";
  /** The manifest's fields that were out of date. */
  readonly changed: readonly string[];
  /** The package's sources are newer than its build. */
  readonly isBuildStale: boolean;
}

/** Writes the manifest and the bundle of the package in a folder, or with `isCheck` only compares them. */
export async function buildManifest(
  folder: string,
  { isCheck = false }: { readonly isCheck?: boolean } = {},
): Promise<BuildOutcome> {
  const built = await builtPackage(resolve(folder));
  const contentHash = await packageHash(built.root);
  const loaded = { ...(await loadEnvironment(built.root)), contentHash };
  const bundle = await packageBundle(built.root, built.entry);
  const manifest = await createManifest(built, loaded, bundle);
  const { state, changed } = comparePackage(built.root, manifest, bundle);
  const outcome = { manifest, changed, isBuildStale: await isStale(built.root) };
  if (isCheck && state !== "same") return { ...outcome, state };
  if (state !== "same") {
    writeBundle(bundle);
    writeManifest(built.root, manifest);
  }
  await checkPacked(built.root, manifest);
  return { ...outcome, state: state === "same" ? "same" : "written" };
}

function comparePackage(
  root: string,
  manifest: EnvironmentManifest,
  bundle: PackageBundle,
): ManifestComparison {
  const comparison = compareManifest(root, manifest);
  if (comparison.state !== "same" || isBundleWritten(bundle)) return comparison;
  return { state: "stale", changed: ["bundle"] };
}

/** Creates the manifest of a package and the environment that it exports. Deterministic: the example has seed 0. */
export async function createManifest(
  { root, name: packageName, version, description, core }: Omit<BuiltPackage, "entry">,
  loaded: LoadedEnvironment,
  { entry: bundle }: Pick<PackageBundle, "entry">,
): Promise<EnvironmentManifest> {
  const environment = loaded.factory();
  if (packageName.split("/").at(-1) !== environment.name)
    throw new UsageError(
      `The environment's name is ${environment.name}, but its package's name is ${packageName}. The last part of the package's name must equal the environment's name. Rename one of them.`,
    );
  const environmentDescription = await describeEnvironment(loaded);
  const text = environmentDescription.description ?? description;
  const manifest: EnvironmentManifest = {
    schema: manifestSchemaVersion,
    name: environment.name,
    ...(text === undefined ? {} : { description: text }),
    package: { name: packageName, version },
    tags: [...environmentDescription.tags],
    kind: environmentDescription.kind,
    config: withPortablePaths(configSchema(environment.definition), root),
    scores: environmentDescription.scores.map(manifestScore),
    ...omitUndefined({ passThreshold: environment.definition.passThreshold }),
    tools: environmentDescription.tools.map(({ parameters, ...tool }) => ({
      ...tool,
      input: parameters,
    })),
    splits: [...(await splitSizesOf(environment))],
    policies: [...environmentDescription.policies],
    ...(environmentDescription.hasChoices ? { hasChoices: true } : {}),
    ...(environmentDescription.hasBoard ? { hasBoard: true } : {}),
    ...(environmentDescription.seats.length === 0
      ? {}
      : { seats: [...environmentDescription.seats] }),
    maxTurns: environmentDescription.maxTurns,
    ...(environmentDescription.requires.length === 0
      ? {}
      : { requires: [...environmentDescription.requires] }),
    ...(environmentDescription.subModel === undefined
      ? {}
      : { subModel: environmentDescription.subModel }),
    example: await exampleConversation(environment),
    core,
    runtimes: "path" in bundle ? ["node", "browser"] : ["node"],
    bundle,
    contentHash: loaded.contentHash,
  };
  const parsed = environmentManifest.safeParse(manifest);
  if (parsed.success) return parsed.data;
  throw new FailureError(
    `The manifest of ${environment.name} is not valid:\n${z.prettifyError(parsed.error)}`,
  );
}

function manifestScore({
  range,
  needs,
  judge,
  ...score
}: ScoreDescription): EnvironmentManifest["scores"][number] {
  return {
    ...score,
    ...(range?.every(Number.isFinite) === true ? { range: [...range] } : {}),
    ...(needs === undefined ? {} : { needs: [...needs] }),
    ...(judge === undefined ? {} : { judge: { prompt: judge.prompt, ...modelOf(judge) } }),
  };
}

function modelOf({ model }: JudgePrompt): { readonly model?: string } {
  return model === undefined ? {} : { model };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Makes absolute paths inside the package relative, so that the manifest is the same wherever the package is built. */
function withPortablePaths(schema: JsonObject, root: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, portableValue(value, root)]),
  );
}

function portableValue(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((item) => portableValue(item, root));
  if (typeof value === "object" && value !== null)
    return withPortablePaths(value as JsonObject, root);
  if (typeof value !== "string" || !isAbsolute(value)) return value;
  const path = relative(root, value);
  return path.startsWith("..") || isAbsolute(path) ? value : path.replaceAll("\\", "/");
}
