import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "./folders.ts";

/** Makes the page of every command, from the help texts that the command line prints. */
export async function commandLinePage(): Promise<string> {
  const texts = await helpTexts();
  const sections = Object.entries(texts).map(
    ([name, text]) => `## envs ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`,
  );
  return `# Command line

The options of every command, as \`envs <command> --help --all\` prints them. [Get the command](/guides/get-the-command.md) from a clone or
a hub. Every command exits with 0 for success, 1 for a failure and 2 for incorrect usage.

${sections.join("\n")}`;
}

async function helpTexts(): Promise<Readonly<Record<string, string>>> {
  const [commands, hub] = await Promise.all([
    print(join(import.meta.dirname, "help-texts.ts")),
    print(join(root, "hub-server/src/bin.ts"), "--help"),
  ]);
  return { ...(JSON.parse(commands) as Record<string, string>), "hub server": hub.trim() };
}

async function print(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "100" },
  });
  return stdout;
}
