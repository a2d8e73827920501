import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

import type { Rollout } from "@envs/core";
import { contentHash, createSummarizer } from "@envs/core/engine";
import { hubClient, type RunDeclaration, type RunPart, type RunUpload } from "@envs/hub-client";
import { exampleSetHash, toRow } from "@envs/records";

import type { TestHub } from "./hub.ts";

/** A rollout with one turn, for tests. */
export function testRollout({
  environment = "chess",
  prompt = "Your move.",
  example = 0,
  rollout = 0,
  scores = { win: 1 },
  reward = scores["win"] ?? 0,
  error,
  reply = "e4",
  usage = { inputTokens: 10, outputTokens: 2 },
}: {
  readonly environment?: string | undefined;
  readonly prompt?: string | undefined;
  readonly example?: number | undefined;
  readonly rollout?: number | undefined;
  readonly scores?: Readonly<Record<string, number | null>> | undefined;
  readonly reward?: number | undefined;
  readonly error?: "model" | "environment" | undefined;
  readonly reply?: string | undefined;
  readonly usage?: Rollout["usage"];
}): Rollout {
  const stored = { prompt: `${prompt} ${example}` };
  const span = { start: 0, end: 1 };
  const message = { role: "assistant" as const, content: reply };
  const base = {
    environment,
    example: stored,
    exampleIndex: example,
    exampleKey: contentHash(stored),
    rolloutIndex: rollout,
    prompt: [{ role: "user" as const, content: stored.prompt }],
    completion: [message],
    trajectory: [
      {
        seen: 1,
        message,
        finish: "stop" as const,
        usage,
        tokens: undefined,
        model: span,
        environment: span,
      },
    ],
    isTruncated: false,
    isFiltered: false,
    usage,
    timing: { setup: span, generation: span, scoring: span },
  };
  if (error !== undefined) {
    const message = `The ${error} failed.`;
    return {
      status: "failed",
      ...base,
      error: { code: error, message, chain: [message], isFatal: false },
    };
  }
  return { status: "scored", ...base, stopReason: "end", reward, scores };
}

/** The lines of a part and its description. */
export interface TestPart {
  readonly text: string | Uint8Array;
  readonly part: RunPart;
}

/** Describes a file as a part of an upload. */
export function testFile(bytes: Uint8Array, extension: string): TestPart {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = `${sha256}.${extension}`;
  const size = { bytes: bytes.byteLength, lines: 1 };
  return { text: bytes, part: { kind: "media", sha256, file, phase: "", step: 0, ...size } };
}

/** Describes lines as a part of an upload. */
export function testPart(lines: readonly unknown[], fields: Partial<RunPart> = {}): TestPart {
  const text = lines
    .map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
    .join("");
  const bytes = Buffer.from(text);
  return {
    text,
    part: {
      kind: "rollouts",
      sha256: createHash("sha256").update(bytes).digest("hex"),
      bytes: bytes.byteLength,
      lines: lines.length,
      phase: "",
      step: 0,
      ...fields,
    },
  };
}

/** A run of rollouts, in parts of at most `partLines` lines. */
export interface TestRun {
  readonly rollouts: readonly Rollout[];
  readonly upload: RunUpload;
  readonly parts: readonly TestPart[];
}

/** Describes a run of a seeded environment as `envs run push` does. */
export async function testRun(
  { hub }: Pick<TestHub, "hub">,
  packageName: string,
  rollouts: readonly Rollout[],
  {
    version = "1.0.0",
    partLines = 100,
    ...fields
  }: Partial<RunUpload> & { readonly partLines?: number } = {},
): Promise<TestRun> {
  const stored = await hub.database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("packages.name", "=", packageName)
    .where("versions.version", "=", version)
    .select(["versions.integrity", "environments.manifest"])
    .executeTakeFirstOrThrow();
  const parts: TestPart[] = [];
  for (let at = 0; at < rollouts.length; at += partLines)
    parts.push(testPart(rollouts.slice(at, at + partLines).map(toRow)));
  const summarizer = createSummarizer([]);
  for (const rollout of rollouts) summarizer.add(rollout);
  const { counts, reward, usage } = summarizer.summary();
  return {
    rollouts,
    parts,
    upload: {
      kind: "evaluation",
      package: packageName,
      version,
      integrity: stored.integrity,
      contentHash: (stored.manifest as { contentHash?: string } | null)?.contentHash ?? "",
      config: {},
      model: "policy:optimal",
      sampling: {},
      seed: 0,
      split: null,
      declaration: null,
      driver: "envs 0.0.0",
      coreVersion: "0.1.0",
      price: null,
      details: {},
      modelPackage: null,
      startedAt: null,
      exampleSet: exampleSetHash(rollouts.map(({ exampleKey }) => exampleKey)),
      totals: {
        rollouts: counts.total,
        scored: counts.scored,
        reward: reward.mean,
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
      },
      parts: parts.map(({ part }) => part),
      ...fields,
    },
  };
}

/**
 * Declares a run of all examples that it has, and pushes it, as `envs eval --push` does. Returns its id. Throws the hub's error.
 */
export async function pushDeclared(
  server: Pick<TestHub, "url">,
  user: { readonly token: string },
  run: TestRun,
): Promise<string> {
  return await pushRun(server, user, await declare(server, user, run));
}

/** Declares a run with the size and the recipe that it has. Fields replace those of the declaration. */
export async function declare(
  { url }: Pick<TestHub, "url">,
  { token }: { readonly token: string },
  run: TestRun,
  fields: Partial<RunDeclaration> = {},
): Promise<TestRun> {
  const { package: name, version, integrity, contentHash, config, model } = run.upload;
  const { sampling, split, details } = run.upload;
  const size = new Set(run.rollouts.map(({ exampleKey }) => exampleKey)).size;
  const { id, seed } = await hubClient({ url, token }).declareRun({
    package: name,
    version,
    integrity,
    contentHash,
    config,
    model,
    sampling,
    split,
    details,
    examples: size,
    size,
    rolloutsPerExample: 1 + Math.max(...run.rollouts.map(({ rolloutIndex }) => rolloutIndex)),
    ...fields,
  });
  return { ...run, upload: { ...run.upload, declaration: id, seed } };
}

/** Pushes a run through the hub's API and returns its id. Throws the hub's error. */
export async function pushRun(
  { url }: Pick<TestHub, "url">,
  { token }: { readonly token: string },
  { upload, parts }: Pick<TestRun, "upload" | "parts">,
): Promise<string> {
  const client = hubClient({ url, token });
  const { id, missing } = await client.createRun(upload);
  for (const part of missing)
    await client.uploadRunPart({ run: id, part, content: compressed(parts[part]!) });
  await client.completeRun({ run: id });
  return id;
}

/** The compressed bytes of a part, as clients send it. */
export function compressed({ text }: TestPart): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(text));
}
