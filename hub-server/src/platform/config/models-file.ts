import { readFileSync } from "node:fs";

import * as z from "zod";

const amount = z.number().min(0);

const endpoint = z.strictObject({
  baseURL: z.url({ protocol: /^https?$/ }),
  /** The name of the model at the server. Default: its name in this file. */
  model: z.string().min(1).optional(),
  /** The environment variable with the API key. */
  apiKeyVariable: z.string().min(1).optional(),
  /** The prices of one million tokens. */
  price: z.strictObject({ input: amount, output: amount }),
  /** The maximum number of tokens of a reply. */
  maxTokens: z.int().min(1),
  /** The maximum number of rollouts of a play. */
  maxRollouts: z.int().min(1).optional(),
  concurrency: z.int().min(1).max(64).default(4),
  /** The users who may request plays. Default: every user. */
  users: z.array(z.string()).optional(),
});

const file = z.strictObject({
  /** The cost of the plays that each user may request in a day (UTC), in the currency of the prices. */
  costPerUserAndDay: amount,
  models: z
    .record(z.string().max(500), endpoint)
    .refine(
      (models) => !Object.keys(models).some((name) => /^(?:policy|tiny):/.test(name)),
      "names must not begin with policy: or tiny:, which name other models",
    ),
});

/** The endpoints with which the hub plays, by the names of their models in runs. */
export type ModelsFile = z.output<typeof file>;
export type Endpoint = z.output<typeof endpoint>;

/** Reads the file of the setting `HUB_MODELS`. Its keys are in environment variables, so that it can be shared. */
export const modelsFile = z.string().transform((path, context): ModelsFile => {
  const reject = (message: string): never => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return reject(`the file cannot be read: ${(error as Error).message}`);
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) return reject(`the file is not valid:\n${z.prettifyError(parsed.error)}`);
  for (const [name, { apiKeyVariable }] of Object.entries(parsed.data.models))
    if (apiKeyVariable !== undefined && (process.env[apiKeyVariable] ?? "") === "")
      return reject(`the variable ${apiKeyVariable} of the model ${name} is not set`);
  return parsed.data;
});
