import { valueOption } from "@envs/cli/kit";

/** The options that limit which clients can use a server. */
export const accessArguments = {
  "api-key-var": valueOption(
    "Environment variable with the API key that clients must send",
    "name",
  ),
  "allowed-host": valueOption(
    "Without an API key: host names of this server besides localhost and IP addresses, separated by commas",
    "names",
  ),
};

/** The names in the option's value. */
export function allowedHostsFrom(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
