import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The capabilities that an environment of verifiers needs beyond text in one turn. */
export const needs = [
  "turns",
  "tools",
  "data",
  "judge",
  "maths",
  "images",
  "mcp",
  /** Runs code of the model: Python with its usual libraries, JavaScript or a shell. */
  "sandbox",
  /** Asks a model from its hooks or from code in a sandbox. */
  "rlm",
  /** Consists of several environments. */
  "group",
  /** Needs a certain image, with programs or a repository. */
  "container",
  /** Plays an agent program. */
  "agent",
  "browser",
  /** Needs a GPU, or an emulator of a telephone. */
  "hardware",
] as const;

export type Need = (typeof needs)[number];

/** A public environment of Python's verifiers. */
export interface PythonPackage {
  readonly name: string;
  /** The public repository in which its source was read. */
  readonly source: string;
  readonly needs: readonly Need[];
  /** The Python library that contains its tasks or its grader, so that a port must write them again. */
  readonly python: string | undefined;
}

const file = join(import.meta.dirname, "../../data/reach.csv");

/** Reads the table of environments, which was made by reading the source of each in November 2026. */
export function readPackages(): readonly PythonPackage[] {
  const [, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [name = "", source = "", needed = "", python = ""] = line.split(",");
    return {
      name,
      source,
      needs: needed === "" ? [] : needed.split(" ").map(readNeed),
      python: python === "" ? undefined : python,
    };
  });
}

function readNeed(text: string): Need {
  const need = needs.find((known) => known === text);
  if (need === undefined) throw new Error(`${file}: ${JSON.stringify(text)} is not a known need.`);
  return need;
}
