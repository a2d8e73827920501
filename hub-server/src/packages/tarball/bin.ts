import { posix } from "node:path";

import { quoted, refusal } from "../../platform/errors/refusal.ts";

/** Commands by name, each with the path of its file from the package's root. */
export type Commands = Readonly<Record<string, string>>;

/** What of a `package.json` says which commands it brings. */
export interface CommandFields {
  readonly name: string;
  readonly bin?: string | Commands | undefined;
  readonly directories?: { readonly bin?: string | undefined } | undefined;
}

const commandName = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/**
 * The commands of a package as npm understands them: one path is a command of the package's name, a scope before a
 * command's name does not count, and `directories.bin` is a folder of commands.
 */
export function commandsOf(fields: CommandFields, files: Iterable<string>): Commands {
  const { name, bin, directories } = fields;
  if (bin === undefined && directories?.bin !== undefined)
    return commandsIn(`${inPackage("directories.bin", directories.bin)}/`, files);
  const listed = typeof bin === "string" ? { [name]: bin } : bin;
  return Object.fromEntries(
    Object.entries(listed ?? {}).map(([key, path]) => {
      const command = key.replace(/^@[^/]+\//, "");
      if (!commandName.test(command))
        throw refusal(
          "bin-invalid",
          `bin has the command ${quoted(key)}, which is not letters, digits and . _ + - after a letter. Rename it.`,
        );
      return [command, inPackage(`bin.${command}`, path)];
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

function inPackage(field: string, path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, "");
  if (/^(?:\.{0,2}$|\.\.\/|\/)|[\\:]/.test(normal))
    throw refusal(
      "bin-invalid",
      `${field} is ${quoted(path)}, which is not a path in the package. Begin at the package's root, without .. or a backslash.`,
    );
  return normal;
}
