import { javascript } from "@envs/sandbox";

/** The sandbox of all code: the model's, and ours. */
export const provider = javascript();
export const limits = { ms: 1000, memory: 32 * 1024 ** 2, output: 4000, disk: 1024 ** 2 };
