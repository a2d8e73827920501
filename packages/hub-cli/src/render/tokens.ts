import { clean, formatTable, paint } from "@envs/terminal";
import { truncate } from "@envs/terminal/layout";

import type { ListedToken } from "../connection/access-tokens.ts";

/** Tokens, one a line, as wide as the terminal: what matters least is cut. */
export function tokenTable(tokens: readonly ListedToken[], columns = Infinity): string {
  if (tokens.length === 0) return "No tokens. Make one: envs token create";
  const titles = ["key", "name", "may", "ends", "last used", "made", "begins with"];
  const text = formatTable(
    [titles.map((title) => paint("dim", title)), ...tokens.map((token) => row(token))],
    "text",
  );
  return text
    .split("\n")
    .map((line) => truncate(line, columns))
    .join("\n");
}

function row(token: ListedToken): readonly string[] {
  const { key, name, created, last_used, expires } = token;
  return [
    key.slice(0, 8),
    name ?? "",
    rights(token),
    expires == null ? "never" : day(expires),
    last_used == null ? "never" : day(last_used),
    day(created),
    token.token,
  ].map(clean);
}

function rights({ readonly, packages, scopes, cidr_whitelist }: ListedToken): string {
  const reach = [...(packages ?? []), ...(scopes ?? []).map((scope) => `@${scope}/*`)];
  const from = cidr_whitelist == null ? "" : ` from ${cidr_whitelist.join(", ")}`;
  return `${readonly ? "read" : "read and write"}${reach.length === 0 ? "" : ` ${reach.join(", ")}`}${from}`;
}

function day(moment: string): string {
  return moment.slice(0, 10);
}
