import { UsageError, defineCommand, argument, valueOption } from "@envs/cli/kit";

export const command = defineCommand({
  meta: {
    name: "queue token",
    description:
      "Create the token of a host that leases work over HTTP. Prints it once; the file stores its hash",
  },
  args: {
    host: argument("The name of the host, for tables and metrics"),
    tokens: valueOption("The token file of envs queue serve (default tokens.txt)", "file"),
  },
  async run({ args }): Promise<number> {
    if (args.host === undefined)
      throw new UsageError("Missing host. Example: envs queue token gpu-1 --tokens tokens.txt");
    const { addToken } = await import("../http/tokens.ts");
    const file = args.tokens ?? "tokens.txt";
    process.stdout.write(`${await addToken(file, args.host)}\n`);
    process.stderr.write(
      `Set ENVS_QUEUE_TOKEN to this token on ${args.host}. To revoke it, remove its line from ${file}.\n`,
    );
    return 0;
  },
});
