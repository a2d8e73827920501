import {
  clean,
  integerOption,
  listOption,
  paint,
  parseAction,
  positionals,
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
    description: "list (unless you say another), create or revoke",
  },
  key: {
    type: "positional",
    required: false,
    description: "The token to revoke: its key, or as much of the beginning as no other has",
  },
  name: { type: "string", description: "What a new token is called" },
  expires: {
    type: "string",
    description: "After how many days it ends (default: never)",
    valueHint: "days",
  },
  "read-only": { type: "boolean", description: "It may only read" },
  cidr: {
    type: "string",
    description: "It may be used from these addresses alone, such as 192.0.2.0/24",
    valueHint: "ranges",
  },
  packages: {
    type: "string",
    description: "It is for these packages alone, with commas",
    valueHint: "names",
  },
  scopes: {
    type: "string",
    description: "It is for these scopes alone, with commas",
    valueHint: "names",
  },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "token",
    description: "List, create and revoke tokens, for machines where nobody logs in",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const [word, ...keys] = positionals(rawArgs, options);
    const action = parseAction("token", word, ["list", "create", "revoke"]);
    if (action === "revoke" && keys.length === 0)
      throw new UsageError("Which token? envs token revoke <key>; the keys are in: envs token");
    const { registry, otp } = args;
    const wanted = {
      name: args.name,
      expires: integerOption("expires", args.expires),
      readonly: args["read-only"] === true,
      cidr: listOption(args.cidr),
      packages: listOption(args.packages),
      scopes: listOption(args.scopes),
    };
    const connection = await connectAsUser({ command: `envs token ${action}`, registry, otp });
    const say = (json: object, text: string): void =>
      void process.stdout.write(args.json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
    if (action === "create") {
      const made = await createToken(connection, wanted);
      const hint = paint("dim", `This is the only time that it is shown. Its key: ${made.key}`);
      say(made, `${clean(made.token)}\n\n${hint}`);
      return;
    }
    if (action === "revoke") {
      for (const key of keys) await revokeToken(connection, key);
      say({ revoked: keys }, keys.map((key) => `${paint("green", "✓")} revoked ${key}`).join("\n"));
      return;
    }
    const tokens = await listTokens(connection);
    say({ tokens }, tokenTable(tokens, process.stdout.columns));
  },
});
