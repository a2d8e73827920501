import {
  clean,
  integerOption,
  listOption,
  paint,
  parseAction,
  positionals,
  printResult,
  success,
  UsageError,
} from "@envs/terminal";
import { defineCommand } from "citty";

import { createToken, listTokens, revokeToken } from "../connection/access-tokens.ts";
import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { tokenTable } from "../render/tokens.ts";

const options = {
  action: {
    type: "positional",
    required: false,
    description: "list, create or revoke (default list)",
  },
  key: {
    type: "positional",
    required: false,
    description: "The key of the token to revoke, or a unique start of it",
  },
  name: { type: "string", description: "The name of the new token" },
  expires: {
    type: "string",
    description: "Days until the token expires (default: never)",
    valueHint: "days",
  },
  "read-only": { type: "boolean", description: "Do not allow changes" },
  cidr: {
    type: "string",
    description: "Allow only these addresses, such as 192.0.2.0/24",
    valueHint: "ranges",
  },
  packages: {
    type: "string",
    description: "Allow only these packages, separated by commas",
    valueHint: "names",
  },
  scopes: {
    type: "string",
    description: "Allow only these scopes, separated by commas",
    valueHint: "names",
  },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "token",
    description: "List, create and revoke tokens for machines without a login, such as CI",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const [word, ...keys] = positionals(rawArgs, options);
    const action = parseAction("token", word, ["list", "create", "revoke"]);
    if (action === "revoke" && keys.length === 0)
      throw new UsageError(
        "Missing key. Write: envs token revoke <key>. List the keys: envs token",
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
    const connection = await connectAsUser({ command: `envs token ${action}`, registry, otp });
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
