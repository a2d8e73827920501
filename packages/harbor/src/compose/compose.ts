import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import type { ContainerOptions, ImageSource, Service } from "@envs/machine";
import { parse } from "yaml";
import * as z from "zod";

import type { HostVariables } from "../task/host-variables.ts";
import { containerOf } from "./container-of.ts";
import { interpolate } from "./interpolate.ts";
import { problemsOf } from "./problems.ts";
import { type ComposeService, composeSchema } from "./schema.ts";

/** What a Compose file says of the agent's box `main`, and the containers beside it. */
export interface Compose {
  /** Without `image`, it comes from `task.toml` or the Dockerfile. */
  readonly main: Omit<ContainerOptions, "image"> & { readonly image: ImageSource | undefined };
  readonly services: Readonly<Record<string, Service>>;
  /** What no machine gives. Empty for a file that can run. */
  readonly problems: readonly string[];
}

/** The Compose file of a folder; `undefined` without one. Throws a `ConfigError` for a file that is invalid. */
export function readCompose(folder: string, host: HostVariables): Compose | undefined {
  const file = ["docker-compose.yaml", "docker-compose.yml", "compose.yaml"]
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const known = { CONTEXT_DIR: folder, ...host };
  const { services, volumes } = parseFile(file, known);
  const problems: string[] = [];
  const attempt = <Result>(name: string, make: () => Result): Result | undefined => {
    try {
      return make();
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const others: Record<string, Service> = {};
  const networks = new Set<string>();
  for (const [name, service = emptyService] of Object.entries(services)) {
    problems.push(...problemsOf(name, service));
    for (const network of networksOf(service)) networks.add(network);
    if (name === "main") continue;
    const made = attempt(name, () => {
      const image = imageOf(service, folder);
      if (image === undefined) throw new Error("it has neither an image nor a build");
      return { image, ...containerOf(service, folder, known) };
    });
    if (made !== undefined) others[name] = made;
  }
  if (networks.size > 1) problems.push(`the services are in ${networks.size} networks`);
  const external = Object.entries(volumes).filter(([, volume]) => isExternal(volume));
  problems.push(...external.map(([name]) => `the volume ${name} is not of this file (external)`));
  const own = services["main"] ?? emptyService;
  const main = attempt("main", () => {
    // The machine waits by its own command.
    const { command: _, ...options } = containerOf(own, folder, known);
    return { ...options, image: imageOf(own, folder) };
  });
  return { main: main ?? { image: undefined }, services: others, problems };
}

const emptyService = composeSchema.parse({ services: { main: {} } }).services["main"]!;

function parseFile(
  file: string,
  host: HostVariables,
): { services: z.output<typeof composeSchema>["services"]; volumes: Record<string, unknown> } {
  let content: unknown;
  try {
    content = parse(readFileSync(file, "utf8"), { merge: true });
  } catch (error) {
    throw new ConfigError(`Cannot read ${file}: ${messageOf(error)}`, [], { cause: error });
  }
  const parsed = composeSchema.safeParse(interpolate(content, host));
  if (!parsed.success)
    throw new ConfigError(`${file} is not a Compose file:\n${z.prettifyError(parsed.error)}`);
  const { services, volumes } = parsed.data;
  return { services, volumes: (volumes ?? {}) as Record<string, unknown> };
}

function networksOf({ networks }: ComposeService): readonly string[] {
  if (typeof networks !== "object" || networks === null) return ["default"];
  return Array.isArray(networks) ? (networks as string[]) : Object.keys(networks);
}

function isExternal(volume: unknown): boolean {
  return typeof volume === "object" && volume !== null && "external" in volume;
}

/** A build of a folder of the task, or an image by its name. */
function imageOf({ build, image }: ComposeService, folder: string): ImageSource | undefined {
  if (build === undefined) return image === undefined || image === "" ? undefined : { name: image };
  const context = resolve(folder, build.context);
  const inner = relative(folder, context);
  if (inner.startsWith("..") || isAbsolute(inner))
    throw new Error(`it is built from ${build.context}, which is not a folder of the environment`);
  return { folder: context, dockerfile: build.dockerfile };
}
