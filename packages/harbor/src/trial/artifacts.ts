import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, matchesGlob } from "node:path";

import type { Machine, MachineService } from "@envs/machine";

import type { Artifact } from "../task/config.ts";
import type { HarborTask, TaskStep } from "../task/task.ts";

/** Where an agent leaves files for the grader without a declaration. */
const commonFolder = { source: "/logs/artifacts", exclude: [], service: undefined };

/** The parts of a declaration that matter here. `destination` is a place of Harbor's own results. */
export type DeclaredArtifact = Pick<Artifact, "source" | "exclude" | "service">;

/** The files that a task declares for its grader, those of the step last. */
export function artifactsOf(
  { config }: HarborTask,
  { name }: TaskStep,
): readonly DeclaredArtifact[] {
  const own = config.steps?.find((step) => step.name === name)?.artifacts ?? [];
  return [...config.artifacts, ...own];
}

/** Carries the artifacts of one machine to the same paths of another. One that is missing stays missing: the tests judge that. */
export async function carryArtifacts(
  artifacts: readonly DeclaredArtifact[],
  { from, to, stage }: { readonly from: Machine; readonly to: Machine; readonly stage: string },
): Promise<void> {
  for (const [index, artifact] of [...artifacts, commonFolder].entries()) {
    const { source, exclude } = artifact;
    const box = containerOf(from, artifact.service);
    const folder = join(stage, String(index));
    await mkdir(folder);
    const kind = await box.exec(["test", "-d", source], { user: "root" });
    const copied = await box.copyOut(source, folder).catch(() => undefined);
    if (copied === undefined || copied.files.length === 0) continue;
    for (const file of copied.files)
      if (exclude.some((pattern) => isExcluded(file, pattern)))
        await rm(join(folder, file), { force: true });
    if (kind.exitCode === 0) await to.copyIn(folder, source);
    else
      for (const file of await readdir(folder))
        await to.copyIn(join(folder, file), join(dirname(source), file));
  }
}

/** The agent's box, or a service beside it. */
export function containerOf(machine: Machine, service: string | undefined): MachineService {
  return service === undefined || service === "main" ? machine : machine.service(service);
}

/** As `tar --exclude` reads a pattern: it matches a path, one of its folders, or a name anywhere in it. */
function isExcluded(file: string, pattern: string): boolean {
  const parts = file.split("/");
  return parts.some(
    (part, index) =>
      matchesGlob(part, pattern) || matchesGlob(parts.slice(0, index + 1).join("/"), pattern),
  );
}
