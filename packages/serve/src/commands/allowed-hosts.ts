/** The options that limit which clients can use a server. */
export const accessArguments = {
  "api-key-var": {
    type: "string",
    description: "Environment variable with the API key that clients must send",
    valueHint: "name",
  },
  "allowed-host": {
    type: "string",
    description:
      "Without an API key: host names of this server besides localhost and IP addresses, separated by commas",
    valueHint: "names",
  },
} as const;

/** The names in the option's value. */
export function allowedHostsFrom(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
