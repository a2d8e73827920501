import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { ConfigError } from "@envs/core";

import { didYouMean } from "../terminal/arguments.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { shellArgument } from "../terminal/shell.ts";
import { installedEnvironments } from "./installed-environments.ts";

/** The error for a reference that is not an environment, with the most similar name. */
export async function environmentNotFound(reference: string, folder: string): Promise<ConfigError> {
  const isPath = /^\.|[/\\]|\.(ts|js|mjs)$/.test(reference) && !reference.startsWith("@");
  return new ConfigError(
    isPath ? await pathProblem(reference, folder) : await nameProblem(reference, folder),
  );
}

async function pathProblem(reference: string, folder: string): Promise<string> {
  const path = resolve(folder, reference);
  if (existsSync(path))
    return `${JSON.stringify(reference)} contains no environment: it has neither an index.ts nor a built package. Build the package, or create one: envs init`;
  const parent = dirname(path);
  const entries = await readdir(parent).catch(() => undefined);
  if (entries === undefined)
    return `Environment ${JSON.stringify(reference)} not found: the folder ${parent} does not exist.`;
  const prefix = reference.slice(0, reference.length - basename(reference).length);
  const siblings = entries.map((name) => join(prefix, name)).map((name) => asPath(name, reference));
  return `Environment ${JSON.stringify(reference)} not found: ${path} does not exist.${didYouMean(reference, siblings)}`;
}

/** Restores a leading `./`, which `join` removes and without which a name is a package. */
function asPath(path: string, like: string): string {
  return like.startsWith("./") && !path.startsWith(".") ? `./${path}` : path;
}

async function nameProblem(reference: string, folder: string): Promise<string> {
  const names = (await installedEnvironments(folder)).flatMap(({ name = "" }) =>
    name.startsWith(`${ownScope}/`) ? [name.slice(ownScope.length + 1), name] : [name],
  );
  const suggestion = didYouMean(reference, names);
  const remedy = `Install it from a hub: envs install ${shellArgument(reference)}. Or pass a folder or file such as ./my-environment. To see what is installed: envs info`;
  return `Environment ${JSON.stringify(reference)} not found.${suggestion} ${remedy}`;
}
