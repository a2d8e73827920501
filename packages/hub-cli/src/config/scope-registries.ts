import { join } from "node:path";

import { FailureError } from "@envs/cli/kit";
import { parse } from "yaml";

import { bunScopes, parseBunfig } from "./bunfig.ts";
import {
  type CommandContext,
  projectRoot,
  readText,
  userNpmrcPath,
  type Variables,
} from "./context.ts";
import { parseNpmrc } from "./npmrc.ts";

/** A line of a configuration file that maps a scope to a registry. */
export interface ScopeRegistry {
  /** With `@`. */
  readonly scope: string;
  readonly registry: string;
  readonly file: string;
  /** A project's files may come from an untrusted author; the user's files do not. */
  readonly owner: "project" | "user";
  /** The package manager whose file format it is; pnpm and Yarn 1 read npm's files. */
  readonly format: "npm" | "Yarn 4" | "bun";
}

interface ConfigFile extends Pick<ScopeRegistry, "file" | "owner" | "format"> {
  readonly parse: ParseScopes;
}

type ParseScopes = (
  text: string,
  from: { readonly file: string; readonly variables: Variables },
) => readonly (readonly [scope: string, registry: string])[];

/** Reads the scope mappings of all package managers: the project's before the user's. */
export async function readScopeRegistries(
  context: CommandContext,
): Promise<readonly ScopeRegistry[]> {
  const { home, variables } = context;
  const root = await projectRoot(context.folder);
  const userFiles: readonly ConfigFile[] = [
    { file: userNpmrcPath(context), owner: "user", format: "npm", parse: npmScopes },
    { file: join(home, ".yarnrc.yml"), owner: "user", format: "Yarn 4", parse: yarnScopes },
    { file: join(home, ".bunfig.toml"), owner: "user", format: "bun", parse: bunfigScopes },
  ];
  const projectFiles: readonly ConfigFile[] = [
    { file: join(root, ".npmrc"), owner: "project", format: "npm", parse: npmScopes },
    { file: join(root, ".yarnrc.yml"), owner: "project", format: "Yarn 4", parse: yarnScopes },
    { file: join(root, "bunfig.toml"), owner: "project", format: "bun", parse: bunfigScopes },
  ];
  // In the home folder, the project's files are the user's.
  const userPaths = new Set(userFiles.map(({ file }) => file));
  const files = [...projectFiles.filter(({ file }) => !userPaths.has(file)), ...userFiles];
  const registries = await Promise.all(
    files.map(async ({ file, owner, format, parse: parseScopes }) =>
      parseScopes(await readText(file), { file, variables }).map(
        ([scope, registry]): ScopeRegistry => ({ scope, registry, file, owner, format }),
      ),
    ),
  );
  return registries.flat();
}

/** The mappings that one package manager reads; the first one of a scope applies. */
export async function scopeRegistriesOf(
  { title }: { readonly title: string },
  context: CommandContext,
): Promise<readonly ScopeRegistry[]> {
  const registries = await readScopeRegistries(context);
  const inFormat = (wanted: ScopeRegistry["format"]): ScopeRegistry[] =>
    registries.filter(({ format }) => format === wanted);
  if (title === "Yarn 4") return inFormat("Yarn 4");
  // bun reads its own files before npm's.
  return title === "bun" ? [...inFormat("bun"), ...inFormat("npm")] : inFormat("npm");
}

/** Whether a registry's address has the origin of a hub. */
export function isAtOrigin(registry: string | null | undefined, origin: string): boolean {
  return registry != null && URL.parse(registry)?.origin === origin;
}

const npmScopes: ParseScopes = (text, { variables }) =>
  Array.from(parseNpmrc(text, variables)).flatMap(([key, registry]) => {
    const [, scope] = /^(@[^/:]+):registry$/.exec(key) ?? [];
    return scope === undefined ? [] : [[scope, registry] as const];
  });

const bunfigScopes: ParseScopes = (text, { file }) => bunScopes(parseBunfig(text, file));

const yarnScopes: ParseScopes = (text, { file, variables }) =>
  Object.entries(parseYarnScopes(text, file)).flatMap(([scope, settings]) => {
    const { npmRegistryServer: registry } = (settings ?? {}) as {
      readonly npmRegistryServer?: unknown;
    };
    return typeof registry === "string"
      ? [[`@${scope}`, expandYarnVariables(registry, variables)] as const]
      : [];
  });

function parseYarnScopes(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const { npmScopes: scopes } = (parse(text) ?? {}) as { readonly npmScopes?: unknown };
    return typeof scopes === "object" && scopes !== null ? { ...scopes } : {};
  } catch (error) {
    throw new FailureError(`${file} is not valid YAML: ${(error as Error).message}`);
  }
}

/** Expands Yarn's variables: `${NAME}`, `${NAME-fallback}`, `${NAME:-fallback}`. */
function expandYarnVariables(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(\w+)(:)?(?:-([^}]*))?\}/g,
    (match: string, ...groups: readonly (string | undefined)[]) => {
      const [name = "", colon, fallback] = groups;
      const value = variables[name];
      if (value !== undefined && (value !== "" || colon === undefined)) return value;
      return fallback ?? match;
    },
  );
}
