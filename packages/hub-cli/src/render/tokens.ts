import { clean, formatTable, paint } from "@envs/terminal";
import { truncate } from "@envs/terminal/layout";

import type { TokenSummary } from "../connection/access-tokens.ts";

/** The tokens as a table, the least important column last; lines that are too wide are truncated. */
export function tokenTable(tokens: readonly TokenSummary[], columns = Infinity): string {
  if (tokens.length === 0) return "You have no tokens. Create one: envs token create";
  const titles = ["key", "name", "access", "expires", "last used", "created", "starts with"];
  const table = formatTable(
    [titles.map((title) => paint("dim", title)), ...tokens.map(tokenRow)],
    "text",
  );
  return table
    .split("\n")
    .map((line) => truncate(line, columns))
    .join("\n");
}

function tokenRow(summary: TokenSummary): readonly string[] {
  const { key, name, created, last_used, expires, token } = summary;
  return [
    key.slice(0, 8),
    name ?? "",
    formatAccess(summary),
    expires == null ? "never" : formatDay(expires),
    last_used == null ? "never" : formatDay(last_used),
    formatDay(created),
    token,
  ].map(clean);
}

function formatAccess({ readonly, packages, scopes, cidr_whitelist }: TokenSummary): string {
  const limits = [...(packages ?? []), ...(scopes ?? []).map((scope) => `@${scope}/*`)];
  const addresses = cidr_whitelist == null ? "" : ` from ${cidr_whitelist.join(", ")}`;
  return `${readonly ? "read" : "read and write"}${limits.length === 0 ? "" : ` ${limits.join(", ")}`}${addresses}`;
}

function formatDay(time: string): string {
  return time.slice(0, 10);
}
