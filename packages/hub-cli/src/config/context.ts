import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";

/** Environment variables by name, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The folders and variables that decide which configuration files apply to a command. */
export interface CommandContext {
  /** The working directory. */
  readonly folder: string;
  readonly home: string;
  readonly variables: Variables;
}

/** The context of this process. */
export function processContext(): CommandContext {
  return { folder: process.cwd(), home: homedir(), variables: process.env };
}

/** The path of the user's `.npmrc`, which `NPM_CONFIG_USERCONFIG` may move. */
export function userNpmrcPath({ home, variables }: CommandContext): string {
  const path = variables["NPM_CONFIG_USERCONFIG"] ?? variables["npm_config_userconfig"];
  return path === undefined || path === "" ? join(home, ".npmrc") : resolve(path);
}

/** Shortens a path for messages: relative to the working directory, or to the home directory with `~`. */
export function displayPath(
  file: string,
  { folder, home }: Pick<CommandContext, "folder" | "home">,
): string {
  const fromFolder = relative(folder, file);
  if (fromFolder !== "" && !fromFolder.startsWith("..") && !isAbsolute(fromFolder))
    return fromFolder;
  const fromHome = relative(home, file);
  return fromHome.startsWith("..") || isAbsolute(fromHome) ? file : join("~", fromHome);
}
