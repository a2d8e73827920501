import type { EnvironmentManifest } from "@envs/hub-client";

import type { Hub } from "../../src/platform/hub/hub.ts";
import type { TestUser } from "./hub.ts";
import { seedEnvironment } from "./seed-environment.ts";

interface CatalogueEntry {
  readonly bare: string;
  readonly description: string;
  readonly license?: string;
  readonly manifest: Partial<EnvironmentManifest>;
}

const score = (name: string, isGroup = false) => ({ name, weight: 1, isGroup });
const tool = (name: string) => ({ name, description: name, input: { type: "object" } });
const browserBundle = (callsModels: boolean): EnvironmentManifest["bundle"] => ({
  path: "dist/envs.bundle.js",
  size: 1000,
  sha256: "0".repeat(64),
  callsModels,
});

const catalogue: readonly CatalogueEntry[] = [
  {
    bare: "tictactoe",
    description: "Play X against a minimax opponent, and win when it errs.",
    license: "MIT",
    manifest: {
      kind: "multi-turn",
      tags: ["game", "board"],
      scores: [score("win")],
      bundle: browserBundle(false),
      runtimes: ["node", "browser"],
    },
  },
  {
    bare: "double-check",
    description: "Answer a mathematics question, then stand by the answer or correct it.",
    license: "MIT",
    manifest: {
      kind: "multi-turn",
      tags: ["mathematics", "sycophancy"],
      scores: [score("correct")],
    },
  },
  {
    bare: "reverse-text",
    description: "Write a text backwards, character by character.",
    license: "MIT",
    manifest: { kind: "single-turn", tags: ["text"], scores: [score("similarity")] },
  },
  {
    bare: "wiki-search",
    description: "Answer questions with the articles of an offline encyclopedia.",
    license: "CC-BY-SA-4.0",
    manifest: {
      kind: "tools",
      tags: ["retrieval", "question-answering"],
      tools: [tool("searchPages"), tool("readSection")],
      scores: [score("correct")],
      bundle: { problem: "It reads files." },
    },
  },
  {
    bare: "polite-mail",
    description:
      "Rewrite a mail so that a judge finds it polite, without changing what it asks for.",
    license: "Apache-2.0",
    manifest: {
      kind: "single-turn",
      tags: ["text", "style"],
      scores: [score("polite"), score("novelty", true)],
      bundle: browserBundle(true),
      runtimes: ["node", "browser"],
    },
  },
];

/** Inserts public environments that differ in every facet of the search, and a private one named `@<owner>/secret-plan`. */
export async function seedCatalogue(hub: Hub, owner: TestUser): Promise<void> {
  for (const { bare, description, license, manifest } of catalogue)
    await seedEnvironment(hub, owner, {
      bare,
      readme: `# ${bare}\n\n${description}`,
      packageJson: { license },
      manifest: { description, ...manifest },
    });
  await seedEnvironment(hub, owner, {
    bare: "secret-plan",
    access: "restricted",
    packageJson: { license: "UNLICENSED" },
    manifest: { description: "Whistle for the platypus.", tags: ["platypus"] },
  });
}
