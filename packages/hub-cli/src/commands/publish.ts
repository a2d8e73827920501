import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

import {
  clean,
  FailureError,
  paint,
  positionals,
  splitAtDoubleDash,
  UsageError,
} from "@envs/terminal";
import { defineCommand } from "citty";

import { here, type Place } from "../config/context.ts";
import { connectTo, hubArguments, otpArgument } from "../connection/connect.ts";
import { lendToken } from "../connection/lent-token.ts";
import { findToken } from "../connection/token-store.ts";
import { publisherOf } from "../managers/detect.ts";
import type { PackageManager } from "../managers/package-manager.ts";
import { runManager } from "../managers/run-manager.ts";
import { yarnAccess } from "../managers/yarn-4.ts";
import { readPackageJson } from "../package-json.ts";
import {
  type ManifestCheck,
  publishChecks,
  type PublishedFolder,
} from "../publish/publish-checks.ts";
import { publishWords } from "../publish/publish-command.ts";
import { type PublishedJson, publishTarget, refuseOtherLine } from "../publish/publish-target.ts";

const options = {
  folder: { type: "positional", required: false, description: "The package (default .)" },
  tag: { type: "string", description: "The dist-tag that names it (default latest)" },
  access: {
    type: "string",
    description:
      "Who may read a new package: public (unless your configuration says otherwise) or restricted",
    valueHint: "who",
  },
  "dry-run": { type: "boolean", description: "Check and pack, and send nothing" },
  stage: { type: "boolean", description: "Have it wait on the hub until somebody approves it" },
  ...otpArgument,
  ...hubArguments,
} as const;

/** Returns the command; `checkManifest` compares the manifest with the built environment. */
export function publishCommand(checkManifest: (root: string) => Promise<ManifestCheck>) {
  return defineCommand({
    meta: {
      name: "publish",
      description:
        "Publish the package in a folder to a hub, with its own package manager. Before anything is sent, it is checked that it is built, described, and new. What follows -- is for the package manager",
    },
    args: options,
    async run({ args, rawArgs }): Promise<number> {
      const { registry, tag, access, otp, json: isJson = false } = args;
      if (access !== undefined && access !== "public" && access !== "restricted")
        throw new UsageError(
          `--access is ${JSON.stringify(access)}. It must be public or restricted.`,
        );
      const { own, passthrough } = splitAtDoubleDash(rawArgs);
      const folder = await publishedFolder(positionals(own, options)[0] ?? ".");
      const { name, version } = folder.json;
      const place: Place = { ...here(), folder: folder.root };
      const address = await publishTarget(place, folder.json, registry);
      const { url } = address;
      const manager = await publisherOf(place);
      await refuseOtherLine(place, { name, manager, url });
      const token = await findToken(place, address);
      const way = { command: "envs publish", token: token?.token, otp };
      const connection = connectTo(address, way);
      const checks = await publishChecks(connection, folder, manager, checkManifest);
      for (const { name: check, problem } of checks)
        process.stderr.write(
          problem === undefined
            ? `${paint("green", "✓", process.stderr)} ${check}\n`
            : `${paint("red", "✗", process.stderr)} ${check}\n  ${clean(problem)}\n`,
        );
      if (checks.some(({ problem }) => problem !== undefined))
        throw new FailureError(`${name} was not published.`);
      const [isDryRun, isStaged] = [args["dry-run"] === true, args.stage === true];
      const { words, variables } = publishWords(manager, {
        name,
        url,
        token,
        tag,
        access: access ?? (await accessByDefault(manager, place, folder)),
        otp,
        isDryRun,
        isStaged,
      });
      process.stderr.write(
        paint("dim", `$ ${[...words, ...passthrough].join(" ")}\n`, process.stderr),
      );
      const code = await lendToken(place, { url, token }, (lent) =>
        runManager(place, [...words, ...passthrough], {
          variables: { ...lent, ...variables },
          isQuiet: isJson,
        }),
      );
      if (code !== 0)
        throw new FailureError(`${manager.title} ended with ${code}; what it says is above.`);
      const state = isDryRun ? "checked" : isStaged ? "staged" : "published";
      const install = `envs install ${tag === undefined ? name : `${name}@${tag}`} --registry ${url}`;
      process.stdout.write(
        isJson
          ? `${JSON.stringify({ hub: url, name, version, client: manager.title, state, install })}\n`
          : `${told({ name, version, url, state, install })}\n`,
      );
      return 0;
    },
  });
}

async function publishedFolder(given: string): Promise<PublishedFolder> {
  const folder = resolve(given);
  if (!existsSync(join(folder, "package.json")))
    throw new UsageError(
      `There is no package.json in ${folder}. Name the folder of a package: envs publish ./my-environment`,
    );
  const root = realpathSync(folder);
  const json: PublishedJson = await readPackageJson(root);
  const { name, version } = json;
  if (name === undefined || version === undefined)
    throw new UsageError(`${join(root, "package.json")} has no name, or no version. Add both.`);
  return { root, json: { ...json, name, version } };
}

async function accessByDefault(
  { title }: PackageManager,
  place: Place,
  { json }: PublishedFolder,
): Promise<string | undefined> {
  if (title !== "Yarn 4") return undefined;
  return await yarnAccess(place, json.publishConfig?.access !== undefined);
}

function told({
  name,
  version,
  url,
  state,
  install,
}: Readonly<Record<"name" | "version" | "url" | "state" | "install", string>>): string {
  const of = `${paint("bold", name)} ${version}`;
  if (state === "checked") return `${of} would be published to ${url}. Nothing was sent.`;
  if (state === "staged")
    return `${of} waits on ${url} for somebody to approve it. See: npm stage list ${name}`;
  return [
    `${paint("green", "✓")} ${of} is on ${url}`,
    `  what is there  envs info ${name} --registry ${url}`,
    `  to have it     ${install}`,
  ].join("\n");
}
