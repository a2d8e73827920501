import { join } from "node:path";

import { FailureError } from "@envs/terminal";
import { parse } from "yaml";

import { bunInstall, bunScopes } from "./bunfig.ts";
import { type Place, projectRoot, textOf, userNpmrc } from "./context.ts";
import { npmrcSettings, type Variables } from "./npmrc.ts";

/** A line of configuration that says where the packages of a scope come from. */
export interface ScopeLine {
  /** With `@`. */
  readonly scope: string;
  readonly registry: string;
  readonly file: string;
  /** The project's files may come from strangers. */
  readonly owner: "project" | "user";
  /** Who reads it: the others have the form of npm's file. */
  readonly readBy: "npm" | "Yarn 4" | "bun";
}

interface Source {
  readonly readBy: ScopeLine["readBy"];
  readonly read: Read;
}

type Read = (
  text: string,
  from: { readonly file: string; readonly variables: Variables },
) => readonly (readonly [scope: string, registry: string])[];

/** Every such line that a package manager reads here: the project's before the user's. */
export async function scopeLines(place: Place): Promise<readonly ScopeLine[]> {
  const root = await projectRoot(place.folder);
  const users = new Map<string, Source>([
    [userNpmrc(place), { readBy: "npm", read: ofNpm }],
    [join(place.home, ".yarnrc.yml"), { readBy: "Yarn 4", read: ofYarn }],
    [join(place.home, ".bunfig.toml"), { readBy: "bun", read: ofBun }],
  ]);
  const projects = new Map<string, Source>([
    [join(root, ".npmrc"), { readBy: "npm", read: ofNpm }],
    [join(root, ".yarnrc.yml"), { readBy: "Yarn 4", read: ofYarn }],
    [join(root, "bunfig.toml"), { readBy: "bun", read: ofBun }],
  ]);
  // In the home folder they are the same files.
  for (const file of users.keys()) projects.delete(file);
  const { variables } = place;
  const lines = async (files: ReadonlyMap<string, Source>, owner: ScopeLine["owner"]) => {
    const found = await Promise.all(
      Array.from(files, async ([file, { read, readBy }]) =>
        read(await textOf(file), { file, variables }).map(([scope, registry]): ScopeLine => ({
          scope,
          registry,
          file,
          owner,
          readBy,
        })),
      ),
    );
    return found.flat();
  };
  return [...(await lines(projects, "project")), ...(await lines(users, "user"))];
}

const ofNpm: Read = (text, { variables }) =>
  Array.from(npmrcSettings(text, variables)).flatMap(([key, registry]) => {
    const [, scope] = /^(@[^/:]+):registry$/.exec(key) ?? [];
    return scope === undefined ? [] : [[scope, registry] as const];
  });

const ofYarn: Read = (text, { file, variables }) =>
  Object.entries(yarnScopes(text, file)).flatMap(([scope, { npmRegistryServer: registry }]) =>
    typeof registry === "string" ? [[`@${scope}`, expandYarn(registry, variables)] as const] : [],
  );

const ofBun: Read = (text, { file }) => bunScopes(bunInstall(text, file));

interface YarnScope {
  readonly npmRegistryServer?: unknown;
}

function yarnScopes(text: string, file: string): Readonly<Record<string, YarnScope>> {
  try {
    const { npmScopes } = (parse(text) ?? {}) as { readonly npmScopes?: unknown };
    const scopes = typeof npmScopes === "object" && npmScopes !== null ? npmScopes : {};
    return Object.fromEntries(
      Object.entries(scopes).map(([scope, settings]) => [scope, (settings ?? {}) as YarnScope]),
    );
  } catch (error) {
    throw new FailureError(`${file} is not YAML: ${(error as Error).message}`);
  }
}

/** Yarn's form of a variable: `${NAME}`, `${NAME-otherwise}`, `${NAME:-otherwise}`. */
function expandYarn(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(\w+)(:)?(?:-([^}]*))?\}/g,
    (written: string, ...groups: readonly (string | undefined)[]) => {
      const [name = "", colon, otherwise] = groups;
      const value = variables[name];
      if (value !== undefined && (value !== "" || colon === undefined)) return value;
      return otherwise ?? written;
    },
  );
}
