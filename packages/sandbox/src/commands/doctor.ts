import { printResult, defineCommand, flag } from "@envs/cli/kit";

import { cachesOf } from "../doctor/caches.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { type SandboxProcess, sandboxProcesses } from "../doctor/processes.ts";
import { type SandboxService, sandboxServices } from "../doctor/services.ts";
import { providers } from "../providers.ts";
import { sandboxReport } from "./sandbox-report.ts";

export const command = defineCommand({
  meta: {
    name: "sandbox doctor",
    description:
      "Check which sandboxes work on this machine: what to install, isolation, start times, running and stray processes, container servers, services, caches. Exits with 1 if a process, a container or a machine is left over",
  },
  args: {
    clean: flag(
      "End the processes, containers and machines that are left over from processes of this machine that have ended",
    ),
    json: flag("Print one JSON object"),
  },
  async run({ args: { clean, json } }): Promise<number> {
    if (clean === true) await removeLeftovers(sandboxProcesses(), await sandboxServices());
    const [processes, services] = [sandboxProcesses(), await sandboxServices()];
    const diagnoses = [];
    // Checks providers one at a time, because it measures times.
    for (const load of providers) diagnoses.push(await diagnose(await load()));
    const report = { providers: diagnoses, processes, services, caches: cachesOf() };
    printResult(json, report, sandboxReport(report, process.stdout.columns));
    const isClean = services.every(({ leftovers }) => leftovers.length === 0);
    return isClean && !processes.some(({ isStray }) => isStray) ? 0 : 1;
  },
});

async function removeLeftovers(
  processes: readonly SandboxProcess[],
  services: readonly SandboxService[],
): Promise<void> {
  for (const { pid, isStray } of processes) if (isStray) process.kill(pid, "SIGKILL");
  for (const { leftovers } of services)
    // One that is removed meanwhile, or that cannot be, is missing from the report or in it.
    await Promise.allSettled(leftovers.map((leftover) => leftover.remove()));
}
