import { paint, positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";
import * as z from "zod";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { fullName } from "../packages/full-name.ts";
import { about } from "../packages/not-there.ts";

const options = {
  package: { type: "positional", required: false, description: "One package or several" },
  remove: { type: "boolean", description: "Take the star away" },
  list: { type: "boolean", description: "List what you have starred" },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: { name: "star", description: "Star a package on a hub" },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const { registry, otp, remove = false } = args;
    const connection = await connectAsUser({ command: "envs star", registry, otp });
    const path = "/-/user/v1/star";
    const say = (json: object, text: string): void =>
      void process.stdout.write(args.json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
    if (args.list === true) {
      const names = await connection.ask({ path }, z.array(z.string()));
      say({ packages: names }, names.length === 0 ? "No stars yet." : names.join("\n"));
      return;
    }
    const named = positionals(rawArgs, options);
    if (named.length === 0) throw new UsageError("Name a package: envs star @envs/tictactoe");
    const packages: string[] = [];
    for (const each of named) {
      const name = await fullName(connection, each);
      const method = remove ? "DELETE" : "PUT";
      const starring = connection.ask({ method, path, body: { package: name } }, z.unknown());
      await about({ name, url: connection.url }, starring);
      packages.push(name);
    }
    const isStarred = !remove;
    say(
      { packages, isStarred },
      packages
        .map((name) => `${paint("yellow", remove ? "☆" : "★")} ${paint("bold", name)}`)
        .join("\n"),
    );
  },
});
