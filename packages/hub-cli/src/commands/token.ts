import {
  argument,
  clean,
  defineCommand,
  flag,
  formatTable,
  integerOption,
  listOption,
  paint,
  parseAction,
  printResult,
  success,
  unexpectedArgument,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { truncate } from "@envs/cli/kit/layout";

import {
  createToken,
  listTokens,
  revokeToken,
  type TokenSummary,
} from "../connection/access-tokens.ts";
import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";

export const command = defineCommand({
  meta: {
    name: "hub token",
    description: "List, create and revoke tokens for machines without a login, such as CI",
  },
  args: {
    action: argument("list, create or revoke (default list)"),
    key: argument("The key of the token to revoke, or a unique start of it"),
    name: valueOption("The name of the new token"),
    expires: valueOption("Days until the token expires (default: never)", "days"),
    "read-only": flag("Do not allow changes"),
    cidr: valueOption("Allow only these addresses, such as 192.0.2.0/24", "ranges"),
    packages: valueOption("Allow only these packages, separated by commas", "names"),
    scopes: valueOption("Allow only these scopes, separated by commas", "names"),
    ...otpArgument,
    ...hubArguments,
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<void> {
    const [word, ...keys] = args._;
    const action = parseAction("hub token", word, ["list", "create", "revoke"]);
    if (action !== "revoke" && keys[0] !== undefined) throw unexpectedArgument("token", keys[0]);
    if (action === "revoke" && keys.length === 0)
      throw new UsageError(
        "Missing key. Write: envs hub token revoke <key>. List the keys: envs hub token",
      );
    const { registry, otp, json } = args;
    const newToken = {
      name: args.name,
      expires: integerOption("expires", args.expires),
      readonly: args["read-only"] === true,
      cidr: listOption(args.cidr),
      packages: listOption(args.packages),
      scopes: listOption(args.scopes),
    };
    const connection = await connectAsUser({ command: `envs hub token ${action}`, registry, otp });
    if (action === "create") {
      const created = await createToken(connection, newToken);
      const hint = `Save the token now: the hub does not show it again. Its key: ${created.key}`;
      printResult(json, created, `${clean(created.token)}\n\n${paint("dim", hint)}`);
    } else if (action === "revoke") {
      for (const key of keys) await revokeToken(connection, key);
      const lines = keys.map((key) => success(`revoked ${key}`));
      printResult(json, { revoked: keys }, lines.join("\n"));
    } else {
      const tokens = await listTokens(connection);
      printResult(json, { tokens }, tokenTable(tokens, process.stdout.columns));
    }
  },
});

/** The tokens as a table, the least important column last; lines that are too wide are truncated. */
function tokenTable(tokens: readonly TokenSummary[], columns = Infinity): string {
  if (tokens.length === 0) return "You have no tokens. Create one: envs hub token create";
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
