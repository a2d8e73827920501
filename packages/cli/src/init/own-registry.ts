import { existsSync, readFileSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";

const scope = ownScope.slice(1);

/** Finds the line that maps our scope to a registry, by the name of a package manager's configuration file. */
const mappings: Readonly<Record<string, RegExp>> = {
  ".npmrc": new RegExp(`^\\s*"?@${scope}:registry"?\\s*=\\s*["']?([^"'\\s]+)`, "m"),
  ".yarnrc.yml": new RegExp(
    `^npmScopes:[^]*?^\\s+["']?${scope}["']?:\\s*\\n\\s+npmRegistryServer:\\s*["']?([^"'\\s]+)`,
    "m",
  ),
  "bunfig.toml": new RegExp(`^\\s*["']?@?${scope}["']?\\s*=[^\\n]*["'](https?:[^"'\\n]+)`, "m"),
};

/**
 * Returns the registry for our packages in a new package: the `chosen` one, else the one that a configuration file maps our scope
 * to, else `ENVS_HUB`, else `fallback`. Without a mapping, package managers would ask a public registry.
 */
export async function ownRegistry(
  folder: string,
  fallback: string | undefined,
  chosen?: string,
): Promise<string | undefined> {
  const registry = urlOf("--registry", chosen);
  for (const file of [...projectFiles(folder), ...(registry === undefined ? userFiles() : [])]) {
    const pattern = Object.entries(mappings).find(([name]) => file.endsWith(name))?.[1];
    const mapped = pattern?.exec(await readIfExists(file))?.[1]?.replace(/\/$/, "");
    if (mapped === undefined || !URL.canParse(mapped)) continue;
    if (registry !== undefined && mapped !== registry)
      throw new UsageError(
        `${file} maps ${ownScope} to ${mapped}, so package managers would not ask ${registry}. Omit --registry, or change that line.`,
      );
    return mapped;
  }
  return registry ?? urlOf("ENVS_HUB", process.env["ENVS_HUB"] || undefined) ?? fallback;
}

function urlOf(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (URL.canParse(value)) return new URL(value).href.replace(/\/+$/, "");
  throw new UsageError(
    `${name} is ${JSON.stringify(value)}, which is not a URL. Write it like http://localhost:4873`,
  );
}

/** Maps our scope to a registry for npm and Yarn 4, unless a mapping exists; pnpm, Yarn 1 and bun read npm's file. */
export async function mapOwnScope(folder: string, registry: string): Promise<void> {
  const { protocol, hostname } = new URL(registry);
  const plainHttp = protocol === "http:" ? `unsafeHttpWhitelist:\n  - ${hostname}\n` : "";
  const lines = {
    ".npmrc": `${ownScope}:registry=${registry}/\n`,
    ".yarnrc.yml": `npmScopes:\n  ${scope}:\n    npmRegistryServer: ${registry}\n${plainHttp}`,
  };
  // Package managers read the configuration of a workspace's root only.
  for (const target of new Set([folder, workspaceRoot(folder) ?? folder]))
    for (const [name, added] of Object.entries(lines)) {
      const text = await readIfExists(join(target, name));
      if (mappings[name]!.test(text) || /^npmScopes:/m.test(text)) continue;
      await appendFile(join(target, name), /[^\n]$/.test(text) ? `\n${added}` : added);
    }
}

function projectFiles(folder: string): readonly string[] {
  return Object.keys(mappings).map((name) => join(workspaceRoot(folder) ?? folder, name));
}

function userFiles(): readonly string[] {
  const { NPM_CONFIG_USERCONFIG: upper, npm_config_userconfig: lower = "" } = process.env;
  const userNpmrc = upper ?? lower;
  return [
    userNpmrc === "" ? join(homedir(), ".npmrc") : resolve(userNpmrc),
    join(homedir(), ".yarnrc.yml"),
    join(homedir(), ".bunfig.toml"),
  ];
}

/** The nearest folder above that is the root of a workspace. */
function workspaceRoot(folder: string): string | undefined {
  for (let parent = dirname(folder); parent !== dirname(parent); parent = dirname(parent)) {
    if (existsSync(join(parent, "pnpm-workspace.yaml"))) return parent;
    const manifest = join(parent, "package.json");
    if (existsSync(manifest) && readFileSync(manifest, "utf8").includes('"workspaces"'))
      return parent;
  }
  return undefined;
}

async function readIfExists(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}
