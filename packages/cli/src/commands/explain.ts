import { didYouMean, UsageError } from "@envs/terminal";
import { defineCommand } from "citty";

import { errorReference } from "../error-reference.ts";
import { codeTable, explanation } from "../render/explanation.ts";

export const command = defineCommand({
  meta: { name: "explain", description: "Explain an error code, or list all codes" },
  args: {
    code: { type: "positional", required: false, description: "The code, such as version-exists" },
    json: { type: "boolean", description: "Print JSON" },
  },
  run({ args: { code, json } }): void {
    const entries = code === undefined ? errorReference : entriesOf(code);
    if (json === true) process.stdout.write(`${JSON.stringify(entries)}\n`);
    else if (code === undefined) process.stdout.write(`${codeTable(entries)}\n`);
    else process.stdout.write(`${entries.map(explanation).join("\n\n")}\n`);
  },
});

function entriesOf(code: string): typeof errorReference {
  const entries = errorReference.filter((entry) => entry.code === code);
  if (entries.length > 0) return entries;
  const codes = errorReference.map((entry) => entry.code);
  throw new UsageError(
    `Unknown error code ${JSON.stringify(code)}.${didYouMean(code, codes)} List all codes: envs explain`,
  );
}
