import { UsageError, defineCommand, argument } from "@envs/cli/kit";
import { ConfigError } from "@envs/core";

import { queueArgument, queueReference } from "./queue-reference.ts";

export const command = defineCommand({
  meta: {
    name: "queue cancel",
    description:
      "Close a run whose command was killed and is not resumed. Workers stop playing it within a heartbeat; rollouts that are saved stay",
  },
  args: {
    run: argument("The run's id, as envs queue status shows it"),
    queue: queueArgument,
  },
  async run({ args }): Promise<number> {
    const { run } = args;
    if (run === undefined)
      throw new UsageError("Missing run. envs queue status lists the ids of open runs.");
    if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(run))
      throw new UsageError(
        `${JSON.stringify(run)} is not the id of a run. envs queue status lists those of open runs.`,
      );
    const reference = queueReference(args.queue);
    const { openQueue } = await import("../open-queue.ts");
    await using queue = await openQueue(reference, { connections: 1 });
    const state = await queue.state(run);
    if (state === undefined)
      throw new ConfigError(
        `The queue has no run ${run}. envs queue status lists those that are open.`,
      );
    await queue.cancel(run);
    process.stdout.write(
      state === "open" ? `Closed the run ${run}.\n` : `The run ${run} was ${state} before.\n`,
    );
    return 0;
  },
});
