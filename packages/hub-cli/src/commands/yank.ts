import { positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";
import semver from "semver";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { namedPackage } from "../packages/find-package.ts";
import { packageSpec, scopeOf } from "../packages/package-spec.ts";
import { noVersion } from "../packages/version-error.ts";
import { type Yanking, yankingInWords } from "../render/lifecycle.ts";

const options = {
  version: {
    type: "positional",
    required: false,
    description: "A package and the number of its version: @you/your-environment@0.2.0",
  },
  undo: { type: "boolean", description: "Put it back, so that it can be chosen again" },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "yank",
    description:
      "Take a version of your package off its list, so that nobody chooses it any more. Whoever has it in a lockfile still gets it. It can be put back",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const { registry, otp, undo = false } = args;
    const { name: written, version } = versionIn(positionals(rawArgs, options));
    const scope = scopeOf(written);
    const connection = await connectAsUser({ command: "envs yank", registry, scope, otp });
    const { client, url } = connection;
    const found = await namedPackage(connection, written);
    const { name } = found;
    const before = found.versions.find((each) => each.version === version);
    if (before === undefined) throw noVersion(found, version);
    const isYanked = !undo;
    const isChanged = before.isYanked !== isYanked;
    if (isChanged) await client[undo ? "unyankVersion" : "yankVersion"]({ name, version });
    const { tags } = isChanged ? await client.readPackage({ name }) : found;
    const latest = tags["latest"] ?? null;
    const yanking: Yanking = { hub: url, name, version, isYanked, isChanged, latest };
    process.stdout.write(
      args.json === true ? `${JSON.stringify(yanking)}\n` : `${yankingInWords(yanking)}\n`,
    );
  },
});

/** A version by its number: what a tag or a range means may change in the meantime. */
function versionIn(words: readonly string[]): { readonly name: string; readonly version: string } {
  const [word] = words;
  if (word === undefined)
    throw new UsageError("Name a version, for instance: envs yank @you/your-environment@0.2.0");
  if (words.length > 1)
    throw new UsageError(
      `One version at a time, with an @ between name and number: envs yank ${word.includes("@", 1) ? word : `${word}@${words[1]}`}`,
    );
  const { name, wanted = "" } = packageSpec(word);
  if (semver.valid(wanted) === wanted) return { name, version: wanted };
  throw new UsageError(
    `Which version of ${name}? Write its number: envs yank ${name}@0.2.0. Its versions: envs info ${name}`,
  );
}
