import {
  argument,
  defineCommand,
  flag,
  printResult,
  shellArgument,
  UsageError,
} from "@envs/cli/kit";
import semver from "semver";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import {
  findPackage,
  parsePackageSpec,
  scopeOf,
  versionNotFoundError,
} from "../packages/find-package.ts";
import { formatYank, type YankResult } from "../packages/lifecycle-text.ts";

export const command = defineCommand({
  meta: {
    name: "hub yank",
    description:
      "Hide a version of your package from new installs. Lockfiles that contain it still install it. --undo makes it available again",
  },
  args: {
    version: argument("A package and a version number: @you/your-environment@0.2.0"),
    undo: flag("Make the version available again"),
    ...otpArgument,
    ...hubArguments,
  },
  maxPositionals: 2,
  async run({ args }): Promise<void> {
    const { registry, otp, undo = false } = args;
    const { packageName, version } = parseVersion(args._);
    const connection = await connectAsUser({
      command: "envs hub yank",
      registry,
      scope: scopeOf(packageName),
      otp,
    });
    const { client, url } = connection;
    const detail = await findPackage(connection, packageName);
    const { name } = detail;
    const before = detail.versions.find((candidate) => candidate.version === version);
    if (before === undefined) throw versionNotFoundError(detail, version);
    const isYanked = !undo;
    const isChanged = before.isYanked !== isYanked;
    if (isChanged) await client[undo ? "unyankVersion" : "yankVersion"]({ name, version });
    const { tags } = isChanged ? await client.readPackage({ name }) : detail;
    const latest = tags["latest"] ?? null;
    const result: YankResult = { hub: url, name, version, isYanked, isChanged, latest };
    printResult(args.json, result, formatYank(result));
  },
});

/** Requires a version number: a tag or a range could select another version by the time the hub receives the request. */
function parseVersion(words: readonly string[]): {
  readonly packageName: string;
  readonly version: string;
} {
  const [word] = words;
  if (word === undefined)
    throw new UsageError("Missing version. Write: envs hub yank @you/your-environment@0.2.0");
  if (words.length > 1)
    throw new UsageError(
      `envs hub yank accepts one version, with @ before its number. Write: envs hub yank ${shellArgument(word.includes("@", 1) ? word : `${word}@${words[1]}`)}`,
    );
  const { name, range = "" } = parsePackageSpec(word);
  if (semver.valid(range) === range) return { packageName: name, version: range };
  throw new UsageError(
    `Missing version number of ${name}. Write, for example: envs hub yank ${name}@0.2.0. List its versions: envs info ${name}`,
  );
}
