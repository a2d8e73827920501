import * as z from "zod";

import {
  chatMessage,
  jsonSchema,
  line,
  packageName,
  prose,
  uniqueList,
  version,
} from "./manifest-fields.ts";
import { checkManifestLimits, manifestLimits } from "./manifest-limits.ts";

/** The name of the manifest in an environment's package. */
export const manifestFile = "envs.manifest.json";

/** The name of the bundle's file, which lies beside the module that exports the environment. */
export const bundleFile = "envs.bundle.js";

/** The version of the manifest format that this package writes. */
export const manifestSchemaVersion = 1;

const score = z.strictObject({
  name: line(100),
  description: prose(2000).optional(),
  /** The weight in the reward; 0 for a metric. */
  weight: z.number(),
  /** The minimum and the maximum, if both are known. */
  range: z
    .tuple([z.number(), z.number()])
    .refine(([min, max]) => min <= max, "has a minimum that is greater than the maximum")
    .optional(),
  /** Whether the score compares the rollouts of a group. */
  isGroup: z.boolean(),
  /** A requirement of the run: `judge`, a model that judges. */
  needs: uniqueList(z.array(z.enum(["judge"])).min(1), (need) => need).optional(),
  /** How the judge is asked: the hash of its prompt, and the model that the author wrote it for. */
  judge: z.strictObject({ prompt: line(100), model: line(200).optional() }).optional(),
});

const tool = z.strictObject({
  name: line(100),
  description: prose(10_000),
  input: jsonSchema,
});

const split = z.strictObject({
  /** `null` for a dataset without splits. */
  name: line(100).nullable(),
  /** The number of examples with the default config; `null` if the split is endless or its size is unknown. */
  size: z.int().min(0).nullable(),
});

const example = z.strictObject({
  /** The policy that played the example. Without one, the messages are only the prompt. */
  policy: line(100).optional(),
  reward: z.number().optional(),
  messages: z.array(chatMessage).min(1).max(manifestLimits.messages),
});

const seat = z.strictObject({
  name: line(100),
  /** Instructions for a person who takes the seat. */
  description: prose(2000).optional(),
  /** The policy that plays the seat where no model does. */
  policy: line(100).optional(),
});

const bundle = z.union([
  z.strictObject({
    /** The path from the package's root, with slashes. */
    path: z
      .string()
      .max(500)
      .regex(/^(?:[^/]+\/)*envs\.bundle\.js$/, "is not the path of a file envs.bundle.js"),
    /** In bytes. */
    size: z.int().min(1),
    /** Hexadecimal. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in hexadecimal digits"),
    /** Whether the environment calls models, such as a judge: then its scores cannot be computed offline. */
    callsModels: z.boolean(),
  }),
  /** Why the environment runs only in Node. */
  z.strictObject({ problem: line(1000) }),
]);

/** The description of an environment in its package, which `envs build` writes and the hub reads. */
export const environmentManifest = z.preprocess(
  checkManifestLimits,
  z.strictObject({
    schema: z.literal(
      manifestSchemaVersion,
      `must be ${manifestSchemaVersion}, the version of the format`,
    ),
    name: z
      .string()
      .max(64)
      .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, "must be kebab-case"),
    title: line(200).optional(),
    description: prose(2000).optional(),
    package: z.strictObject({ name: packageName, version }),
    tags: uniqueList(z.array(line(64)).max(64), (tag) => tag),
    kind: z.enum(["single-turn", "multi-turn", "tools"]),
    /** The JSON Schema of the config, with descriptions and defaults. */
    config: jsonSchema,
    scores: uniqueList(z.array(score).max(256), ({ name }) => name),
    /** The minimum reward of a rollout that passes. Default 0.5. */
    passThreshold: z.number().optional(),
    tools: uniqueList(z.array(tool).max(256), ({ name }) => name),
    splits: uniqueList(z.array(split).min(1).max(64), ({ name }) => name),
    /** The names of the environment's policies, the best first. */
    policies: uniqueList(z.array(line(100)).max(64), (name) => name),
    /** The environment lists its legal replies. */
    hasChoices: z.literal(true).optional(),
    /** The environment describes its positions as a grid. */
    hasBoard: z.literal(true).optional(),
    /** The sides of an episode, in the order of the definition. */
    seats: uniqueList(z.array(seat).min(1).max(64), ({ name }) => name).optional(),
    /** The role of a person who plays the opponent, in packages that were built before environments had seats. */
    opponent: prose(2000).optional(),
    /** The turn limit with the default config. */
    maxTurns: z.int().min(1),
    /** Requirements on the machine that runs the environment, such as the sandbox `python`. */
    requires: uniqueList(
      z
        .array(z.strictObject({ kind: z.enum(["sandbox", "machine"]), name: line(100) }))
        .min(1)
        .max(16),
      ({ name }) => name,
    ).optional(),
    /** The environment asks a sub-model, at most so much in a rollout with the default config. No limit where one is absent. */
    subModel: z
      .strictObject({
        maxCalls: z.number().min(1).optional(),
        /** Input and output tokens of all calls. */
        maxTokens: z.number().min(1).optional(),
      })
      .optional(),
    example,
    /** The version of `@envs/core` at build time. */
    core: version,
    runtimes: uniqueList(z.array(z.enum(["node", "browser"])).min(1), (runtime) => runtime),
    /** The environment and its core as one ES module, for browsers and for the hub. */
    bundle: bundle.optional(),
    /** The result of {@link packageContentHash} for the package. */
    contentHash: z.string().regex(/^sha256-[0-9a-f]{64}$/, "is not a content hash"),
  }),
);

/** A valid manifest. */
export type EnvironmentManifest = z.infer<typeof environmentManifest>;

/** A manifest, or a problem: one or several lines for its author. */
export type ManifestReading =
  | { readonly manifest: EnvironmentManifest; readonly problem?: undefined }
  | { readonly manifest?: undefined; readonly problem: string };

/** Reads the bytes of a manifest file from an untrusted source. Does not throw. */
export function readManifest(bytes: Uint8Array): ManifestReading {
  if (bytes.length > manifestLimits.bytes)
    return {
      problem: `It has ${bytes.length} bytes. A manifest may have at most ${manifestLimits.bytes}.`,
    };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { problem: "It is not JSON in UTF-8." };
  }
  const parsed = environmentManifest.safeParse(json);
  return parsed.success ? { manifest: parsed.data } : { problem: problemOf(parsed.error) };
}

/** A hostile manifest may have thousands of issues. */
const maxIssues = 10;

function problemOf({ issues }: z.ZodError): string {
  const text = z.prettifyError({ issues: issues.slice(0, maxIssues) });
  return issues.length > maxIssues ? `${text}\n… and ${issues.length - maxIssues} more` : text;
}
