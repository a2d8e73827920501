// Prints the help text of each command as JSON. Runs the sources of the command line, in one process.
import { stripVTControlCharacters } from "node:util";

import { run } from "../../cli/src/main.ts";

async function helpOf(...args: readonly string[]): Promise<string> {
  const write = process.stdout.write.bind(process.stdout);
  let text = "";
  process.stdout.write = (chunk) => {
    text += String(chunk);
    return true;
  };
  try {
    await run([...args, "--help", "--all"]);
  } finally {
    process.stdout.write = write;
  }
  return stripVTControlCharacters(text)
    .replaceAll(/[ \t]+$/gm, "")
    .trim();
}

const overview = await helpOf();
// Each line of the overview that names a command has two spaces, its name and its summary.
const names = [...overview.matchAll(/^ {2}(?<name>[a-z][\w-]*(?: [a-z][\w-]*)?) {2,}/gm)].map(
  ({ groups }) => groups?.["name"] ?? "",
);
const texts: Record<string, string> = {};
for (const name of names) if (name !== "hub server") texts[name] = await helpOf(...name.split(" "));
process.stdout.write(JSON.stringify(texts));
