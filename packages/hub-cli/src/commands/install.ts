import {
  FailureError,
  listOption,
  paint,
  positionals,
  splitAtDoubleDash,
  UsageError,
} from "@envs/terminal";
import { defineCommand } from "citty";

import { here, shown } from "../config/context.ts";
import { connect, hubArguments } from "../connection/connect.ts";
import { lendToken } from "../connection/lent-token.ts";
import { findToken } from "../connection/token-store.ts";
import { planInstallation } from "../install/plan-installation.ts";
import { clientNames, packageManagerOf } from "../managers/detect.ts";
import { runManager } from "../managers/run-manager.ts";
import { installedVersion } from "../packages/installed-version.ts";
import { packageSpec, scopeOf } from "../packages/package-spec.ts";

const options = {
  environment: {
    type: "positional",
    required: false,
    description: "One or several: tictactoe, @you/your-environment, tictactoe@0.2.0",
  },
  dev: { type: "boolean", alias: "D", description: "Only for development" },
  "allow-new": {
    type: "boolean",
    description:
      "Take versions that are younger than the package manager wants, by an exception in the project's configuration",
  },
  scope: {
    type: "string",
    description: "Further scopes that are to come from this hub, such as @envs",
    valueHint: "@scope",
  },
  client: {
    type: "string",
    description: `The package manager: ${clientNames.join(", ")} (default: the project's)`,
    valueHint: "name",
  },
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "install",
    description:
      "Add environments of a hub to this project, with its own package manager. The project's .npmrc (for Yarn 4 its .yarnrc.yml) says from then on where the scope comes from. What follows -- is for the package manager",
  },
  args: options,
  async run({ args, rawArgs }): Promise<number> {
    const { own, passthrough } = splitAtDoubleDash(rawArgs);
    const specs = positionals(own, options).map(packageSpec);
    const [first] = specs;
    if (first === undefined)
      throw new UsageError("Name an environment, for instance: envs install tictactoe");
    const { registry, client, dev = false, json = false } = args;
    const place = here();
    const scope = specs.map(({ name }) => scopeOf(name)).find((each) => each !== undefined);
    const connection = await connect({ command: "envs install", registry, scope, place });
    const manager = await packageManagerOf(place, client);
    const plan = await planInstallation(connection, {
      specs,
      manager,
      place,
      scopes: (listOption(args.scope) ?? []).map((each) => `@${each.replace(/^@/, "")}`),
      allowsNew: args["allow-new"] === true,
    });
    for (const note of plan.notes)
      process.stderr.write(`${paint("yellow", note, process.stderr)}\n`);
    const written = await plan.configure();
    for (const file of written)
      process.stderr.write(paint("dim", `wrote ${shown(file, place)}\n`, process.stderr));
    const words = [...manager.add(plan.specs, dev), ...passthrough];
    process.stderr.write(paint("dim", `$ ${manager.command} ${words.join(" ")}\n`, process.stderr));
    const token = await findToken(place, connection.address);
    const code = await lendToken(place, { url: connection.url, token }, (variables) =>
      runManager(place, [manager.command, ...words], { variables, isQuiet: json }),
    );
    if (code !== 0)
      throw new FailureError(
        `${manager.title} ended with ${code}; what it says is above. Does it know the hub? See: envs doctor`,
      );
    const { peers } = plan;
    const packages = await Promise.all(
      plan.packages.map(async ({ name, version }) => ({
        name,
        // A package manager may keep an older one that was there.
        version: (await installedVersion(place.folder, name)) ?? version,
      })),
    );
    if (peers.length > 0)
      process.stderr.write(
        `${paint("yellow", `${manager.title} leaves to you what they need beside them: ${manager.command} add ${peers.join(" ")}`, process.stderr)}\n`,
      );
    const told = packages.map(
      ({ name, version }) => `${paint("green", "✓")} ${paint("bold", name)} ${version}`,
    );
    const result = { hub: connection.url, client: manager.title, packages, peers, written };
    process.stdout.write(
      json
        ? `${JSON.stringify(result)}\n`
        : `${told.join("\n")}\n${paint("dim", `See: envs info ${packages[0]?.name ?? ""}`)}\n`,
    );
    return 0;
  },
});
