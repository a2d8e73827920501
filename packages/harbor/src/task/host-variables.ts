import { ConfigError } from "@envs/core";

/** The variables of this machine, which a task may ask for. */
export type HostVariables = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in the values of a task by variables of this machine. Throws a `ConfigError` that
 * names the variables that are missing.
 */
export function withHostVariables(
  values: Readonly<Record<string, string>>,
  host: HostVariables,
  place: string,
): Readonly<Record<string, string>> {
  const missing = new Set<string>();
  const resolved = Object.entries(values).map(([name, value]) => {
    const text = value.replaceAll(
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/gu,
      (_, variable: string, fallback: string | undefined) => {
        const found = host[variable] ?? fallback;
        if (found === undefined) missing.add(variable);
        return found ?? "";
      },
    );
    return [name, text] as const;
  });
  if (missing.size > 0)
    throw new ConfigError(
      `${place} needs the environment ${missing.size === 1 ? "variable" : "variables"} ${[...missing].join(", ")}. Set ${missing.size === 1 ? "it" : "them"} before the command.`,
    );
  return Object.fromEntries(resolved);
}
