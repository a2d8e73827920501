import {
  argument,
  type EnvsCommand,
  FailureError,
  flag,
  listOption,
  ownScope,
  paint,
  positionals,
  printResult,
  shellCommand,
  splitAtDoubleDash,
  success,
  UsageError,
  valueOption,
} from "@envs/cli/kit";

import { displayPath, processContext } from "../config/context.ts";
import { connect, hubArguments } from "../connection/connect.ts";
import { readToken, withTokenNpmrc } from "../connection/token-store.ts";
import { planInstallation } from "../install/plan-installation.ts";
import { clientNames, detectManager } from "../managers/detect.ts";
import { runManager } from "../managers/run-manager.ts";
import { normaliseScope, parsePackageSpec, scopeOf } from "../packages/find-package.ts";
import { installedVersion } from "../packages/project-dependencies.ts";

const options = {
  environment: argument("One or several: tictactoe, @you/your-environment, tictactoe@0.2.0"),
  dev: { type: "boolean", alias: "D", description: "Add them to the development dependencies" },
  "allow-new": flag(
    "Install versions that are too new for the package manager, by an exemption in the project's configuration",
  ),
  scope: valueOption(`Further scopes to map to this hub, such as ${ownScope}`, "@scope"),
  client: valueOption(
    `The package manager: ${clientNames.join(", ")} (default: the project's)`,
    "name",
  ),
  ...hubArguments,
} as const;

export const command: EnvsCommand<typeof options> = {
  meta: {
    name: "install",
    description:
      "Add environments from a hub to this project with its package manager. Maps their scope to the hub in the project's .npmrc (.yarnrc.yml for Yarn 4). Passes arguments after -- to the package manager",
  },
  args: options,
  maxPositionals: Infinity,
  async run({ args, rawArgs }): Promise<number> {
    const { own, passthrough } = splitAtDoubleDash(rawArgs);
    const specs = positionals(own, options).map(parsePackageSpec);
    if (specs.length === 0)
      throw new UsageError("Missing environment. Write, for example: envs install tictactoe");
    const { registry, client, dev = false, json = false } = args;
    const context = processContext();
    const connection = await connect({
      command: "envs install",
      registry,
      scope: specs.map(({ name }) => scopeOf(name)).find((scope) => scope !== undefined),
      context,
    });
    const manager = await detectManager(context, client);
    const plan = await planInstallation(connection, {
      specs,
      manager,
      context,
      scopes: (listOption(args.scope) ?? []).map(normaliseScope),
      allowsNew: args["allow-new"] === true,
    });
    for (const note of plan.notes) printProgress("yellow", note);
    const written = await plan.configure();
    for (const file of written) printProgress("dim", `wrote ${displayPath(file, context)}`);
    const words = [...manager.add(plan.specs, dev), ...passthrough];
    printProgress("dim", `$ ${shellCommand([manager.command, ...words])}`);
    const token = await readToken(context, connection.address);
    const exitCode = await withTokenNpmrc(context, { url: connection.url, token }, (variables) =>
      runManager(context, [manager.command, ...words], { variables, isQuiet: json }),
    );
    if (exitCode !== 0)
      throw new FailureError(
        `${manager.title} failed with exit code ${exitCode}; see its output above. To check its configuration: envs hub doctor`,
      );
    const { peers } = plan;
    const packages = await Promise.all(
      plan.packages.map(async ({ name, version }) => ({
        name,
        // The package manager may have kept an older version that was installed before.
        version: (await installedVersion(context.folder, name)) ?? version,
      })),
    );
    if (peers.length > 0)
      printProgress(
        "yellow",
        `${manager.title} does not install peer dependencies. Add them: ${shellCommand([manager.command, "add", ...peers])}`,
      );
    const lines = packages.map(({ name, version }) => success(`${paint("bold", name)} ${version}`));
    printResult(
      json,
      { hub: connection.url, client: manager.title, packages, peers, written },
      [...lines, paint("dim", `See: envs info ${packages[0]?.name ?? ""}`)].join("\n"),
    );
    return 0;
  },
};

function printProgress(style: "yellow" | "dim", text: string): void {
  process.stderr.write(`${paint(style, text, process.stderr)}\n`);
}
