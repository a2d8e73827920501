import { UsageError, valueOption } from "@envs/cli/kit";

/** The option that names the queue of commands which use an existing one. */
export const queueArgument = valueOption(
  "URL of the PostgreSQL database, or a folder (default ENVS_QUEUE)",
  "queue",
);

/** Returns the queue that `--queue` names, else the variable `ENVS_QUEUE`, which other users of the machine cannot see. */
export function queueReference(
  flag: string | undefined,
  example = "--queue postgres://envs@localhost/envs",
): string {
  const reference = flag ?? process.env["ENVS_QUEUE"] ?? "";
  if (reference !== "") return reference;
  throw new UsageError(`Missing queue. Pass --queue or set ENVS_QUEUE. Example: ${example}`);
}
