import {
  argument,
  defineCommand,
  flag,
  printResult,
  shellArgument,
  UsageError,
} from "@envs/cli/kit";

import { connectAsUser, hubArguments, otpArgument } from "../connection/connect.ts";
import { findPackage, parsePackageSpec, scopeOf } from "../packages/find-package.ts";
import { type ArchiveResult, formatArchive } from "../packages/lifecycle-text.ts";

export const command = defineCommand({
  meta: {
    name: "hub archive",
    description:
      "Archive a package that is no longer maintained: users can still install it, but it cannot change. --undo restores it",
  },
  args: {
    package: argument("A package that you own"),
    undo: flag("Restore the package"),
    ...otpArgument,
    ...hubArguments,
  },
  maxPositionals: 2,
  async run({ args }): Promise<void> {
    const { registry, otp, undo = false } = args;
    const packageName = parsePackageName(args._);
    const connection = await connectAsUser({
      command: "envs hub archive",
      registry,
      scope: scopeOf(packageName),
      otp,
    });
    const { client, url } = connection;
    const detail = await findPackage(connection, packageName);
    const { name } = detail;
    const isArchived = !undo;
    const isChanged = detail.isArchived !== isArchived;
    if (isChanged) await client[undo ? "unarchivePackage" : "archivePackage"]({ name });
    const result: ArchiveResult = { hub: url, name, isArchived, isChanged };
    printResult(args.json, result, formatArchive(result));
  },
});

function parsePackageName(words: readonly string[]): string {
  const [word] = words;
  if (word === undefined)
    throw new UsageError("Missing package. Write: envs hub archive @you/your-environment");
  if (words.length > 1)
    throw new UsageError(
      `envs hub archive accepts one package, but got ${words.length}. Write: envs hub archive ${shellArgument(word)}`,
    );
  const { name, range } = parsePackageSpec(word);
  if (range === undefined) return name;
  throw new UsageError(
    `Cannot archive a single version, only a package: envs hub archive ${name}. To hide the version: envs hub yank ${word}`,
  );
}
