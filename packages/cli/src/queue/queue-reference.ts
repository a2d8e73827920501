import { UsageError } from "@envs/terminal";

/** The option that names a queue, for every command that uses one. */
export const queueArgument = {
  type: "string",
  description:
    "The queue: the URL of a PostgreSQL database, or a folder (default ENVS_QUEUE, which other users of the machine cannot see)",
  valueHint: "url",
} as const;

/** Returns the queue that `--queue` or the variable names. Throws a `UsageError` if neither does. */
export function queueReference(flag: string | undefined): string {
  const reference = flag ?? process.env["ENVS_QUEUE"];
  if (reference !== undefined && reference !== "") return reference;
  throw new UsageError(
    "Missing queue. Pass --queue with the URL of a PostgreSQL database, such as postgres://envs@localhost/envs, or set ENVS_QUEUE.",
  );
}
