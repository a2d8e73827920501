import type { LoadPolicy } from "@envs/queue/plans";

/** The commands that this package adds to the command line. */
export const commands = {
  train: () => import("./commands/train.ts"),
  "train adapter": () => import("./commands/adapter.ts"),
  "train rollouts": () => import("./commands/rollouts.ts"),
  synth: () => import("./commands/synth.ts"),
  export: () => import("./commands/export.ts"),
};

/** The models that this package loads for the command line, by the prefixes of their names. */
export const models = {
  lora: async () => (await import("./commands/training/load-local.ts")).loadLocal,
  tinker: async () => (await import("./commands/training/load-served.ts")).loadServed,
};

/** Loads the model of a training at one step, for a worker of a queue. */
export const loadPolicy: LoadPolicy = async (policy, concurrency) => {
  const loader = await import("./commands/training/load-policy.ts");
  return await loader.loadPolicy(policy, concurrency);
};
