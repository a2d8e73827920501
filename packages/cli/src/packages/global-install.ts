import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A command of a package manager: its program, then the arguments. */
export type InstallCommand = readonly [program: string, ...args: string[]];

/** The folders of global packages, and the words that add one. The folder of npm matches no pattern. */
const managers: readonly (readonly [folder: RegExp, command: InstallCommand])[] = [
  [/[\\/]global[\\/]v?\d+[\\/]/, ["pnpm", "add", "-g"]],
  [/[\\/]yarn[\\/](?:data[\\/])?global[\\/]/i, ["yarn", "global", "add"]],
  [/[\\/]install[\\/]global[\\/]/, ["bun", "add", "-g"]],
];

/** From pnpm 11 on, packages that were not installed together cannot import each other. */
const isolatedGroup = /^.*[\\/]global[\\/]v\d+[\\/][^\\/]+(?=[\\/]node_modules[\\/])/;

/** The command that installs a package beside a global command line, whose program is `files`: its path, and its real path. */
export async function globalInstallCommand(
  name: string,
  files: readonly string[],
): Promise<InstallCommand> {
  const [, command = ["npm", "i", "-g"] as const] =
    managers.find(([folder]) => files.some((file) => folder.test(file))) ?? [];
  const [group] = files.flatMap((file) => isolatedGroup.exec(file) ?? []);
  if (group === undefined) return [...command, name];
  const { dependencies } = JSON.parse(await readFile(join(group, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return [...command, [...Object.keys(dependencies), name].join(",")];
}
