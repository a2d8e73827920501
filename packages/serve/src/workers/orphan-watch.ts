/** A thread that ends its process once the primary has ended, even while an environment blocks the main thread. */
import { workerData } from "node:worker_threads";

const primary = workerData as number;
setInterval(() => {
  if (process.ppid !== primary) process.kill(process.pid, "SIGKILL");
}, 500);
