import { existsSync } from "node:fs";
import { join } from "node:path";

import type { PackageJson } from "@envs/cli/kit/environments";
import { isHubRequestError, manifestFile } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";
import { readUsername } from "../connection/log-in.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { buildManifest } from "../manifest/build-manifest.ts";
import { readPackument } from "../packages/packument.ts";

/** A condition for publishing a package. */
export interface PublishCheck {
  readonly name: string;
  /** Why the condition is not met, and what to do. */
  readonly problem: string | undefined;
}

/** The package to publish. */
export interface PublishFolder {
  readonly root: string;
  readonly json: PackageJson & { readonly name: string; readonly version: string };
}

/** Runs all checks that need no upload. */
export async function runPublishChecks(
  connection: Connection,
  { root, json }: PublishFolder,
  manager: PackageManager,
): Promise<readonly PublishCheck[]> {
  const isEnvironment =
    json.keywords?.includes("llm-environment") === true || existsSync(join(root, manifestFile));
  return [
    { name: "the package is not private", problem: privateProblem(json) },
    { name: "its dependencies are in a registry", problem: dependencyProblem(json, manager) },
    ...(isEnvironment
      ? [
          {
            name: `${manifestFile} is up to date`,
            problem: await manifestProblem(root),
          },
        ]
      : []),
    { name: `you are logged in to ${connection.url}`, problem: await loginProblem(connection) },
    { name: "the package is not archived", problem: await archiveProblem(connection, json) },
    { name: `${json.version} is a new version`, problem: await versionProblem(connection, json) },
  ];
}

function privateProblem(json: PackageJson): string | undefined {
  return json.private === true
    ? `package.json contains "private": true, which prevents publishing. Remove that line.`
    : undefined;
}

/** pnpm, Yarn 4 and bun replace workspace ranges by versions when they publish; npm does not. */
function dependencyProblem(
  { dependencies, peerDependencies, optionalDependencies }: PackageJson,
  { title }: PackageManager,
): string | undefined {
  const ranges = Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  const local = /^(?:file|link|portal):/;
  const workspace = /^(?:workspace|catalog):/;
  const unpublishable = ranges.find(
    ([, range]) => local.test(range) || (title === "npm" && workspace.test(range)),
  );
  if (unpublishable === undefined) return undefined;
  const [name, range] = unpublishable;
  return `The range of its dependency ${name} is ${range}, which works only on this machine. Publish ${name} too, and depend on its version.`;
}

async function manifestProblem(root: string): Promise<string | undefined> {
  try {
    const { state, changed, isBuildStale } = await buildManifest(root, { isCheck: true });
    if (isBuildStale)
      return "The sources are newer than the compiled files. Build the package: npm run build";
    if (state === "same") return undefined;
    const reason =
      state === "missing" ? "The file is missing" : `Out of date: ${changed.join(", ")}`;
    return `${reason}. Build the package, with envs build as the last step: npm run build`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function loginProblem(connection: Connection): Promise<string | undefined> {
  if (connection.token === undefined)
    return `You are not logged in. Run: envs hub login --registry ${connection.url}`;
  try {
    await readUsername(connection);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function archiveProblem(
  { client }: Connection,
  { name }: PublishFolder["json"],
): Promise<string | undefined> {
  try {
    const { isArchived } = await client.readPackage({ name });
    return isArchived
      ? `${name} is archived, so it accepts no new versions. Restore it: envs hub archive ${name} --undo`
      : undefined;
  } catch (error) {
    // The package does not exist yet, or the registry is not a hub and has no archive.
    if (isHubRequestError(error)) return undefined;
    throw error;
  }
}

async function versionProblem(
  connection: Connection,
  { name, version }: PublishFolder["json"],
): Promise<string | undefined> {
  try {
    const packument = await readPackument(connection, name);
    return packument !== undefined && Object.hasOwn(packument.versions, version)
      ? `${name}@${version} exists already, and a published version cannot change. Increase it: npm version patch`
      : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
