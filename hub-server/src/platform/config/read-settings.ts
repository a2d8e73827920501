import * as z from "zod";

import { settings, type Settings } from "./settings.ts";

/** Invalid settings. The message lists each variable with the values that it accepts. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Reads settings from environment variables. An empty variable counts as unset; an unknown `HUB_…` is an error. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const values = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = settings.safeParse(values);
  const unknown = Object.keys(values).filter(
    (name) => name.startsWith("HUB_") && !(name in settings.shape),
  );
  const problems = [
    ...(parsed.error?.issues ?? []).map(
      ({ path, message }) => `${path.join(".")}: ${message}${received(values, path[0])}`,
    ),
    ...unknown.map((name) => `${name}: unknown setting`),
    ...["HUB_MAIL_FROM", "HUB_URL"]
      .filter((name) => values["HUB_SMTP_URL"] !== undefined && values[name] === undefined)
      .map((name) => `${name}: required with HUB_SMTP_URL, for the sender and the links of e-mail`),
  ];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new SettingsError(
    `The hub cannot start with these settings:\n${problems.map((line) => `  ${line}`).join("\n")}\nSee: envs-hub --help`,
  );
}

/** The settings as lines for `--help`. */
export function settingsHelp(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    const value =
      fallback.data === undefined || typeof fallback.data === "object"
        ? ""
        : ` (default ${String(fallback.data)})`;
    return `  ${name.padEnd(24)} ${schema.description ?? ""}${choices(schema)}${value}`;
  });
  return rows.join("\n");
}

/** The values that a setting accepts, if they are few. */
function choices(schema: z.ZodType): string {
  const { enum: values } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return values === undefined ? "" : `: ${values.join(", ")}`;
}

/** Settings that contain a secret, besides URLs. */
const secretNames: ReadonlySet<PropertyKey> = new Set([
  "HUB_SIGN_IN_PROVIDERS",
  "HUB_UPSTREAM_TOKENS",
]);

/** Quotes the value for an error, except for secrets and URLs, which may contain a password. */
function received(
  values: Readonly<Record<string, unknown>>,
  name: PropertyKey | undefined,
): string {
  const value = typeof name === "string" ? values[name] : undefined;
  if (typeof value !== "string" || value.includes("://")) return "";
  return name !== undefined && secretNames.has(name) ? "" : `, not ${JSON.stringify(value)}`;
}
