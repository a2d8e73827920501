import { posix } from "node:path";

import { quoted, refusal } from "../../platform/errors/hub-error.ts";

/** Paths of executable files by command name, relative to the package's root. */
export type Commands = Readonly<Record<string, string>>;

/** The fields of `package.json` that define commands. */
export interface CommandFields {
  readonly name: string;
  readonly bin?: string | Commands | undefined;
  readonly directories?: { readonly bin?: string | undefined } | undefined;
}

const commandName = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/**
 * Reads a package's commands as npm does: a `bin` that is a path defines a command with the package's name, npm removes
 * the scope from a command's name, and without `bin`, every file in the folder `directories.bin` is a command.
 */
export function commandsOf(fields: CommandFields, files: Iterable<string>): Commands {
  const { name, bin, directories } = fields;
  if (bin === undefined && directories?.bin !== undefined)
    return commandsIn(`${packageRelative("directories.bin", directories.bin)}/`, files);
  const paths = typeof bin === "string" ? { [name]: bin } : bin;
  return Object.fromEntries(
    Object.entries(paths ?? {}).map(([key, path]) => {
      const command = key.replace(/^@[^/]+\//, "");
      if (!commandName.test(command))
        throw refusal(
          "bin-invalid",
          `bin has the invalid command name ${quoted(key)}. Use letters, digits and . _ + -, beginning with a letter or digit.`,
        );
      return [command, packageRelative(`bin.${command}`, path)];
    }),
  );
}

function commandsIn(folder: string, files: Iterable<string>): Commands {
  return Object.fromEntries(
    [...files]
      .filter((path) => path.startsWith(folder))
      .map((path) => [posix.basename(path), path])
      .filter(([command = ""]) => commandName.test(command)),
  );
}

function packageRelative(field: string, path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, "");
  if (/^(?:\.{0,2}$|\.\.\/|\/)|[\\:]/.test(normal))
    throw refusal(
      "bin-invalid",
      `${field} is ${quoted(path)}, which is not a path in the package. Write it relative to the package's root, without .. or backslashes.`,
    );
  return normal;
}
