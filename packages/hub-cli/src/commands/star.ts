import {
  argument,
  defineCommand,
  flag,
  ownScope,
  paint,
  printResult,
  UsageError,
} from "@envs/cli/kit";
import * as z from "zod";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { explainNotFound, resolvePackageName } from "../packages/find-package.ts";

const path = "/-/user/v1/star";

export const command = defineCommand({
  meta: { name: "hub star", description: "Star a package on a hub" },
  args: {
    package: argument("One package or several"),
    remove: flag("Remove the star"),
    list: flag("List the packages that you have starred"),
    ...otpArgument,
    ...hubArguments,
  },
  maxPositionals: Infinity,
  async run({ args }): Promise<void> {
    const { registry, otp, json, remove = false } = args;
    const connection = await connectAsUser({ command: "envs hub star", registry, otp });
    const { request } = connection;
    if (args.list === true) {
      const starred = await request({ path }, z.array(z.string()));
      const text = starred.length === 0 ? "You have starred no packages." : starred.join("\n");
      printResult(json, { packages: starred }, text);
      return;
    }
    const names = args._;
    if (names.length === 0)
      throw new UsageError(
        `Missing package. Write, for example: envs hub star ${ownScope}/tictactoe`,
      );
    const packages: string[] = [];
    for (const name of names) {
      const fullName = await resolvePackageName(connection, name);
      const method = remove ? "DELETE" : "PUT";
      const response = request({ method, path, body: { package: fullName } }, z.unknown());
      await explainNotFound(connection, fullName, response);
      packages.push(fullName);
    }
    const star = paint("yellow", remove ? "☆" : "★");
    const lines = packages.map((name) => `${star} ${paint("bold", name)}`);
    printResult(json, { packages, isStarred: !remove }, lines.join("\n"));
  },
});
