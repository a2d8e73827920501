/** How to reach the server of a model. */
export const serverArguments = {
  "base-url": { type: "string", description: "The model's server", valueHint: "url" },
  "api-key-var": {
    type: "string",
    description: "The environment variable that contains the server's API key",
    valueHint: "name",
  },
} as const;
