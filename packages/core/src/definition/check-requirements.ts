import { ConfigError, messageOf } from "../errors.ts";
import { resolveSetting } from "./config.ts";
import type { AnyDefinition, Environment } from "./environment.ts";
import type { Requirement } from "./requirement.ts";

/** The requirements of an environment with its config. */
export function requirementsOf({
  definition,
  config,
}: Pick<Environment, "definition" | "config">): readonly Requirement[] {
  return resolveSetting(definition.requires, config) ?? [];
}

/** Throws a `ConfigError` if this machine lacks what an environment requires. Call it before the first model call. */
export async function checkRequirements(
  environment: Pick<Environment, "name" | "definition" | "config">,
): Promise<void> {
  for (const requirement of requirementsOf(environment)) {
    try {
      await requirement.check();
    } catch (error) {
      const { kind, name } = requirement;
      throw new ConfigError(
        `${environment.name} needs the ${kind} ${name}, which does not work here: ${messageOf(error)}`,
        [],
        { cause: error },
      );
    }
  }
}

/** Throws a `ConfigError` if `requires` lists anything but providers. Authors may write JavaScript. */
export function checkRequires({ name, requires }: AnyDefinition): void {
  if (requires === undefined || typeof requires === "function") return;
  const isProvider = (entry: unknown): boolean => {
    const { kind, check } = (entry ?? {}) as Partial<Requirement>;
    return (kind === "sandbox" || kind === "machine") && typeof check === "function";
  };
  if (Array.isArray(requires) && requires.every(isProvider)) return;
  throw new ConfigError(
    `${name} requires something that is not a list of providers. Write requires: [python()] with python of @envs/sandbox.`,
  );
}
