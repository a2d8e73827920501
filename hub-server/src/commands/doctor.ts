import { parseArgs } from "node:util";

import { examine } from "../operations/doctor/examine.ts";
import type { Finding } from "../operations/doctor/finding.ts";
import { commandSettings } from "./data-folder.ts";

/** Checks the settings and the services of a hub. Exits with 1 if a check fails. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const { json, ...overrides } = values;
  const findings = await examine(commandSettings(overrides));
  process.stdout.write(
    json ? `${JSON.stringify({ findings }, undefined, 2)}\n` : findings.map(lines).join(""),
  );
  if (findings.some(({ level }) => level === "error")) process.exitCode = 1;
}

function lines({ check, level, message, remedy }: Finding): string {
  const indent = "         ";
  const first = `${level.padEnd(indent.length)}${check}: ${message}\n`;
  return remedy === undefined ? first : `${first}${indent}${remedy}\n`;
}
