import type { OpenQueuedPlay } from "@envs/cli/kit/runs";

/** The commands that this package adds to the command line. */
export const commands = {
  "queue status": () => import("./commands/status.ts"),
  "queue cancel": () => import("./commands/cancel.ts"),
  "queue serve": () => import("./commands/serve.ts"),
  "queue token": () => import("./commands/token.ts"),
  "queue worker": () => import("./commands/worker.ts"),
};

/** Opens the queue that plays a run of the command line. */
export const openQueuedPlay: OpenQueuedPlay = async (request) => {
  const queued = await import("./commands/queued-evaluation.ts");
  return await queued.openQueuedPlay(request);
};
