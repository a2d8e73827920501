import { valueOption } from "@envs/cli/kit";
/** How to reach the server of a model. */
export const serverArguments = {
  "base-url": valueOption("The model's server", "url"),
  "api-key-var": valueOption("The environment variable that contains the server's API key", "name"),
} as const;
