import { random } from "@envs/core";
import { type EnvironmentManifest, manifestFile } from "@envs/hub-client";
import { packageContentHash } from "@envs/records";

import type { Package } from "./package.ts";

const words = `arithmetic board chess code database debate dialogue essay file game geometry grammar
   history image invoice kitchen law letter logic maze memory molecule music negotiation
   number parser physics planning poem proof puzzle query regex repair robot search shell
   spelling story sudoku table terminal theorem translation weather`.split(/\s+/u);

/** Search terms; every environment contains some of them. */
export const searchWords: readonly string[] = words;

/** Generates the package of an environment. The same number gives the same package. */
export async function generateEnvironment(number: number): Promise<Package> {
  const draw = random(`environment ${number}`);
  const drawWords = (count: number): string[] =>
    Array.from({ length: count }, () => words[draw.int(words.length)]!);
  const [name, version] = [`@bench/${drawWords(2).join("-")}-${number}`, "1.0.0"];
  const keywords = [...new Set(drawWords(4))];
  const description = `Teaches ${drawWords(4).join(", ")} and ${drawWords(1).join("")}.`;
  const code = `export const about = ${JSON.stringify(drawWords(200).join(" "))};\n`;
  const files = { "index.js": code };
  const bytes = new TextEncoder().encode(code);
  const manifest: EnvironmentManifest = {
    schema: 1,
    name: name.slice("@bench/".length),
    description,
    package: { name, version },
    tags: keywords,
    kind: (["single-turn", "multi-turn", "tools"] as const)[draw.int(3)]!,
    config: { type: "object", properties: {} },
    scores: [{ name: "correct", weight: 1, range: [0, 1], isGroup: false }],
    tools: [],
    splits: [{ name: null, size: 100 }],
    policies: ["optimal", "random"],
    maxTurns: 4,
    example: { messages: [{ role: "user", content: drawWords(30).join(" ") }] },
    core: "0.1.0",
    runtimes: ["node"],
    contentHash: await packageContentHash([{ path: "index.js", bytes }]),
  };
  return {
    name,
    version,
    description,
    keywords,
    readme: `# ${name}\n\n${description}\n\n${drawWords(150).join(" ")}\n`,
    files: { ...files, [manifestFile]: JSON.stringify(manifest) },
  };
}
