import * as z from "zod";

import { withNewNames } from "./old-names.ts";

const seconds = z.number().positive();
const variables = z.record(z.string(), z.string()).default({});
const user = z.union([z.string(), z.int()]).transform(String).optional();

/** `allowed_hosts` are names, `*.suffix`, addresses or CIDR ranges. */
const network = {
  network_mode: z.enum(["public", "no-network", "allowlist"]).optional(),
  allowed_hosts: z
    .array(
      z
        .string()
        .regex(
          /^[^\s:/]+(?:\/\d+)?$|^[\da-f:]+(?:\/\d+)?$/iu,
          "a host name, an address or a CIDR range",
        ),
    )
    .optional(),
};

const healthcheck = z.object({
  command: z.string(),
  interval_sec: seconds.default(5),
  timeout_sec: seconds.default(30),
  start_period_sec: z.number().min(0).default(0),
  start_interval_sec: seconds.default(5),
  retries: z.int().min(1).default(3),
});

const artifact = z
  .union([
    z.string().transform((source) => ({
      source,
      exclude: [] as string[],
      destination: undefined,
      service: undefined,
    })),
    z.object({
      source: z.string(),
      destination: z.string().optional(),
      exclude: z.array(z.string()).default([]),
      service: z.string().optional(),
    }),
  ])
  .refine(({ source }) => !source.split("/").includes(".."), "an artifact's path has no ..");

const mcpServer = z.object({
  name: z.string(),
  transport: z.enum(["stdio", "sse", "streamable-http", "http"]).default("sse"),
  url: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  headers: z.record(z.string(), z.string()).default({}),
});

const environment = z.preprocess(
  withNewNames,
  z.looseObject({
    ...network,
    build_timeout_sec: seconds.default(600),
    docker_image: z.string().optional(),
    os: z.enum(["linux", "windows"]).default("linux"),
    cpus: z.number().positive().optional(),
    memory_mb: z.number().positive().optional(),
    storage_mb: z.number().positive().optional(),
    gpus: z.int().min(0).default(0),
    gpu_types: z.array(z.string()).nullish(),
    tpu: z.unknown().optional(),
    env: variables,
    workdir: z.string().optional(),
    skills_dir: z.string().optional(),
    mcp_servers: z.array(mcpServer).default([]),
    healthcheck: healthcheck.optional(),
  }),
);

const agent = z.looseObject({ ...network, timeout_sec: seconds.optional(), user });

const verifier = z.looseObject({
  ...network,
  timeout_sec: seconds.default(600),
  env: variables,
  user,
  environment_mode: z.enum(["shared", "separate"]).optional(),
  environment: environment.optional(),
  collect: z
    .array(
      z.object({
        command: z.string(),
        service: z.string().default("main"),
        timeout_sec: seconds.default(60),
        user,
      }),
    )
    .default([]),
});

/** The name is a folder's. */
const stepName = z.string().regex(/^(?!\.)[^/\\]+$/u, "the name of a folder below steps/");

const step = z.looseObject({
  name: stepName,
  agent: agent.prefault({}),
  // What a step leaves out holds as the task has it.
  verifier: verifier.extend({ timeout_sec: seconds.optional() }).prefault({}),
  min_reward: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
  healthcheck: healthcheck.optional(),
  artifacts: z.array(artifact).default([]),
});

/** A `task.toml` of Harbor, schema version 1.4 and earlier. Unknown fields are kept. */
export const taskConfig = z.looseObject({
  schema_version: z.string().optional(),
  task: z
    .looseObject({
      name: z.string(),
      version: z.string().optional(),
      description: z.string().default(""),
    })
    .optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  environment: environment.prefault({}),
  agent: agent.prefault({}),
  verifier: verifier.prefault({}),
  solution: z.looseObject({ env: variables }).prefault({}),
  artifacts: z.array(artifact).default([]),
  steps: z.array(step).optional(),
  multi_step_reward_strategy: z.enum(["mean", "final"]).default("mean"),
});

export type TaskConfig = z.output<typeof taskConfig>;
export type EnvironmentConfig = TaskConfig["environment"];
export type VerifierConfig = TaskConfig["verifier"];
export type Artifact = TaskConfig["artifacts"][number];
