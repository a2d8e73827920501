import { settings, type Settings } from "./settings.ts";

/** A setting is held wrong; the message names the variable and says what it may be. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Settings from variables. Empty ones count as not given; a misspelt `HUB_…` is an error, not silence. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = settings.safeParse(given);
  const unknown = Object.keys(given).filter(
    (name) => name.startsWith("HUB_") && !(name in settings.shape),
  );
  const problems = [
    ...(parsed.error?.issues ?? []).map(
      ({ path, message }) => `${path.join(".")}: ${message}${said(given, path[0])}`,
    ),
    ...unknown.map((name) => `${name}: there is no such setting`),
  ];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new SettingsError(
    `The hub cannot start with these settings:\n${problems.map((line) => `  ${line}`).join("\n")}\nSee: envs-hub --help`,
  );
}

/** The variables as lines for `--help`. */
export function settingsHelp(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    const value =
      fallback.data === undefined || typeof fallback.data === "object"
        ? ""
        : ` (default ${String(fallback.data)})`;
    return `  ${name.padEnd(24)} ${schema.description ?? ""}${value}`;
  });
  return rows.join("\n");
}

/** An address may hold a password, so a URL is not repeated. */
function said(given: Readonly<Record<string, unknown>>, name: PropertyKey | undefined): string {
  const value = typeof name === "string" ? given[name] : undefined;
  return typeof value !== "string" || value.includes("://") ? "" : `, not ${JSON.stringify(value)}`;
}
