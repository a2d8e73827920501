/** The option for a server's names, for commands that start one. */
export const allowedHostArgument = {
  type: "string",
  description:
    "Without an API key: host names of this server besides localhost and IP addresses, separated by commas",
  valueHint: "names",
} as const;

/** The names in the option's value. */
export function allowedHostsFrom(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
