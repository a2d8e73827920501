import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

import {
  argument,
  choiceOption,
  clean,
  defineCommand,
  FailureError,
  flag,
  paint,
  positionals,
  printResult,
  shellCommand,
  splitAtDoubleDash,
  success,
  UsageError,
  valueOption,
} from "@envs/cli/kit";
import { readPackageJson } from "@envs/cli/kit/environments";

import { type CommandContext, processContext } from "../config/context.ts";
import { connectTo, hubArguments, otpArgument } from "../connection/connect.ts";
import { readToken, withTokenNpmrc } from "../connection/token-store.ts";
import { detectPublisher } from "../managers/detect.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { runManager } from "../managers/run-manager.ts";
import { defaultYarnAccess } from "../managers/yarn.ts";
import { comparePublished } from "../publish/compare-published.ts";
import {
  type PublishCheck,
  type PublishFolder,
  runPublishChecks,
} from "../publish/publish-checks.ts";
import { publishCommandLine } from "../publish/publish-command.ts";
import { checkPublishRegistry, resolvePublishTarget } from "../publish/publish-target.ts";

const options = {
  folder: argument("The package's folder (default .)"),
  tag: valueOption("The dist-tag of the version (default latest)"),
  access: valueOption(
    "The readers of a new package: public or restricted (default public, or your configuration)",
    "access",
  ),
  "dry-run": flag("Check and pack the package without publishing it"),
  stage: flag("Require an approval on the hub before it is published"),
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "publish",
    description:
      "Publish the package in a folder to a hub with its package manager. First checks that the package is built, that its manifest is up to date, and that the version is new. Passes arguments after -- to the package manager",
  },
  args: options,
  async run({ args, rawArgs }): Promise<number> {
    const { registry, tag, otp, json } = args;
    const access = choiceOption("access", args.access, ["public", "restricted"]);
    const { own, passthrough } = splitAtDoubleDash(rawArgs);
    const folder = await readPublishFolder(positionals(own, options)[0] ?? ".");
    const { name, version } = folder.json;
    const context: CommandContext = { ...processContext(), folder: folder.root };
    const address = await resolvePublishTarget(context, folder.json, registry);
    const { url } = address;
    const manager = await detectPublisher(context);
    await checkPublishRegistry(context, { name, manager, url });
    const token = await readToken(context, address);
    const connection = connectTo(address, { command: "envs publish", token: token?.token, otp });
    const checks = await runPublishChecks(connection, folder, manager);
    for (const check of checks) printCheck(check);
    if (checks.some(({ problem }) => problem !== undefined))
      throw new FailureError(`${name} was not published.`);
    const { client } = connection;
    const { root } = folder;
    const warnings = await comparePublished({ client, root, name, version }).catch(
      (error: Error) => [`Cannot compare ${name} with its published version: ${error.message}`],
    );
    for (const warning of warnings)
      process.stderr.write(`${paint("yellow", `! ${clean(warning)}`, process.stderr)}\n`);
    const [isDryRun, isStaged] = [args["dry-run"] === true, args.stage === true];
    const { words, variables } = publishCommandLine(manager, {
      name,
      url,
      token,
      tag,
      access: access ?? (await defaultAccess(manager, context, folder)),
      otp,
      isDryRun,
      isStaged,
    });
    const commandLine = `$ ${shellCommand([...words, ...passthrough])}\n`;
    process.stderr.write(paint("dim", commandLine, process.stderr));
    const exitCode = await withTokenNpmrc(context, { url, token }, (tokenVariables) =>
      runManager(context, [...words, ...passthrough], {
        variables: { ...tokenVariables, ...variables },
        isQuiet: json,
      }),
    );
    if (exitCode !== 0)
      throw new FailureError(
        `${manager.title} failed with exit code ${exitCode}; see its output above.`,
      );
    const state = isDryRun ? "checked" : isStaged ? "staged" : "published";
    const spec = tag === undefined ? name : `${name}@${tag}`;
    const install = `envs install ${spec} --registry ${url}`;
    printResult(
      json,
      { hub: url, name, version, client: manager.title, state, install },
      formatResult({ name, version, url, state, install }),
    );
    return 0;
  },
});

async function readPublishFolder(path: string): Promise<PublishFolder> {
  const folder = resolve(path);
  if (!existsSync(join(folder, "package.json")))
    throw new UsageError(
      `${folder} contains no package.json. Pass the folder of a package: envs publish ./my-environment`,
    );
  const root = realpathSync(folder);
  const json = await readPackageJson(root);
  const { name, version } = json;
  if (name === undefined || version === undefined)
    throw new UsageError(
      `${join(root, "package.json")} has no ${name === undefined ? "name" : "version"}. Add one.`,
    );
  return { root, json: { ...json, name, version } };
}

async function defaultAccess(
  { title }: PackageManager,
  context: CommandContext,
  { json }: PublishFolder,
): Promise<string | undefined> {
  if (title !== "Yarn 4") return undefined;
  return await defaultYarnAccess(context, json.publishConfig?.access !== undefined);
}

function printCheck({ name, problem }: PublishCheck): void {
  process.stderr.write(
    problem === undefined
      ? `${paint("green", "✓", process.stderr)} ${name}\n`
      : `${paint("red", "✗", process.stderr)} ${name}\n  ${clean(problem)}\n`,
  );
}

function formatResult({
  name,
  version,
  url,
  state,
  install,
}: Readonly<Record<"name" | "version" | "url" | "state" | "install", string>>): string {
  const label = `${paint("bold", name)} ${version}`;
  if (state === "checked") return `Dry run: ${label} can be published to ${url}.`;
  if (state === "staged")
    return `${label} waits for approval on ${url}. See: npm stage list ${name}`;
  return [
    success(`Published ${label} to ${url}`),
    `  to show it     envs info ${name} --registry ${url}`,
    `  to install it  ${install}`,
  ].join("\n");
}
