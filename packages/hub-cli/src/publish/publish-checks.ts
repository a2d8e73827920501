import { existsSync } from "node:fs";
import { join } from "node:path";

import { manifestFile } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";
import { whoAmI } from "../connection/log-in.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import type { PackageJson } from "../package-json.ts";
import { isArchived } from "../packages/archived.ts";
import { readPackument } from "../packages/packument.ts";
import type { PublishedJson } from "./publish-target.ts";

/** Something that has to hold before a package is published. */
export interface PublishCheck {
  readonly name: string;
  /** What is wrong, and what to do. */
  readonly problem?: string;
}

/** How the manifest in a package's folder compares with the environment that the package exports. */
export interface ManifestCheck {
  readonly state: "same" | "stale" | "missing" | "written";
  /** The parts of the manifest that are out of date. */
  readonly changed: readonly string[];
  /** Whether the package's sources are newer than its compiled files. */
  readonly isSourceNewer: boolean;
}

/** The package that is to be published. */
export interface PublishedFolder {
  readonly root: string;
  readonly json: PublishedJson & { readonly name: string; readonly version: string };
}

/** What can be found out before anything is sent. */
export async function publishChecks(
  connection: Connection,
  { root, json }: PublishedFolder,
  manager: PackageManager,
  checkManifest: (root: string) => Promise<ManifestCheck>,
): Promise<readonly PublishCheck[]> {
  const isEnvironment =
    json.keywords?.includes("llm-environment") === true || existsSync(join(root, manifestFile));
  return [
    checked("the package is not private", privateProblem(json)),
    checked("its dependencies are in a registry", dependencyProblem(json, manager)),
    ...(isEnvironment
      ? [
          checked(
            `${manifestFile} describes what is built`,
            await manifestProblem(root, checkManifest),
          ),
        ]
      : []),
    checked(`you are logged in to ${connection.url}`, await loginProblem(connection)),
    checked("the package takes new versions", await archiveProblem(connection, json)),
    checked(`${json.version} is a new version`, await versionProblem(connection, json)),
  ];
}

function checked(name: string, problem: string | undefined): PublishCheck {
  return { name, ...(problem !== undefined && { problem }) };
}

function privateProblem(json: PublishedJson): string | undefined {
  return json.private === true
    ? `package.json says "private": true, so that nobody publishes it by mistake. Remove that line.`
    : undefined;
}

/** pnpm, Yarn 4 and bun write versions in the place of what only a workspace understands; npm does not. */
function dependencyProblem(
  { dependencies, peerDependencies, optionalDependencies }: PackageJson,
  { title }: PackageManager,
): string | undefined {
  const ranges = Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  const local = /^(?:file|link|portal):/;
  const workspace = /^(?:workspace|catalog):/;
  const bad = ranges.find(
    ([, range]) => local.test(range) || (title === "npm" && workspace.test(range)),
  );
  if (bad === undefined) return undefined;
  const [name, range] = bad;
  return `It depends on ${name} as ${range}, which means nothing to others. Publish ${name}, too, and depend on its version.`;
}

async function manifestProblem(
  root: string,
  checkManifest: (root: string) => Promise<ManifestCheck>,
): Promise<string | undefined> {
  try {
    const { state, changed, isSourceNewer } = await checkManifest(root);
    if (isSourceNewer)
      return "The sources were touched after they were compiled. Build the package: npm run build";
    if (state === "same") return undefined;
    const what = state === "missing" ? "There is none" : `Out of date: ${changed.join(", ")}`;
    return `${what}. Build the package, with envs build as the last step: npm run build`;
  } catch (error) {
    return (error as Error).message;
  }
}

async function loginProblem(connection: Connection): Promise<string | undefined> {
  if (connection.token === undefined)
    return `You are not. Run: envs login --registry ${connection.url}`;
  try {
    await whoAmI(connection);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function archiveProblem(
  connection: Connection,
  { name }: PublishedFolder["json"],
): Promise<string | undefined> {
  if (!(await isArchived(connection, name))) return undefined;
  return `${name} is archived, so nothing of it changes. Take it out of the archive: envs archive ${name} --undo`;
}

async function versionProblem(
  connection: Connection,
  { name, version }: PublishedFolder["json"],
): Promise<string | undefined> {
  try {
    const packument = await readPackument(connection, name);
    return packument !== undefined && Object.hasOwn(packument.versions, version)
      ? `${name}@${version} is published already, and a version never changes. Raise it: npm version patch`
      : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
