import { positionals, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { namedPackage } from "../packages/find-package.ts";
import { packageSpec, scopeOf } from "../packages/package-spec.ts";
import { type Archiving, archivingInWords } from "../render/lifecycle.ts";

const options = {
  package: { type: "positional", required: false, description: "A package that you own" },
  undo: { type: "boolean", description: "Take it out of the archive" },
  ...otpArgument,
  ...hubArguments,
} as const;

export const command = defineCommand({
  meta: {
    name: "archive",
    description:
      "Archive a package that is not worked on any more: it installs as before, and nothing of it changes. It can be taken out again",
  },
  args: options,
  async run({ args, rawArgs }): Promise<void> {
    const { registry, otp, undo = false } = args;
    const written = packageIn(positionals(rawArgs, options));
    const scope = scopeOf(written);
    const connection = await connectAsUser({ command: "envs archive", registry, scope, otp });
    const { client, url } = connection;
    const found = await namedPackage(connection, written);
    const { name } = found;
    const isArchived = !undo;
    const isChanged = found.isArchived !== isArchived;
    if (isChanged) await client[undo ? "unarchivePackage" : "archivePackage"]({ name });
    const archiving: Archiving = { hub: url, name, isArchived, isChanged };
    process.stdout.write(
      args.json === true ? `${JSON.stringify(archiving)}\n` : `${archivingInWords(archiving)}\n`,
    );
  },
});

function packageIn(words: readonly string[]): string {
  const [word] = words;
  if (word === undefined)
    throw new UsageError("Name a package, for instance: envs archive @you/your-environment");
  if (words.length > 1) throw new UsageError(`One package at a time: envs archive ${word}`);
  const { name, wanted } = packageSpec(word);
  if (wanted === undefined) return name;
  throw new UsageError(
    `A package is archived as a whole: envs archive ${name}. To take a version off its list: envs yank ${word}`,
  );
}
