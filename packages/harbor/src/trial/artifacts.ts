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

/**
 * Copies the artifacts of a machine into a folder of this computer: those of each source into their own folder, named by its number and
 * whether the source is a file or a folder. One that is missing stays missing: the tests judge that.
 */
export async function collectArtifacts(
  artifacts: readonly DeclaredArtifact[],
  from: Machine,
  stage: string,
): Promise<void> {
  for (const [index, artifact] of [...artifacts, commonFolder].entries()) {
    const { source, exclude, service } = artifact;
    const box = containerOf(from, service);
    const { exitCode } = await box.exec(["test", "-d", source], { user: "root" });
    const folder = join(stage, `${index}-${exitCode === 0 ? "folder" : "file"}`);
    await mkdir(folder);
    const copied = await box.copyOut(source, folder).catch(() => undefined);
    for (const file of copied?.files ?? [])
      if (exclude.some((pattern) => isExcluded(file, pattern)))
        await rm(join(folder, file), { force: true });
  }
}

/** Copies collected artifacts to the same paths of another machine. */
export async function placeArtifacts(
  artifacts: readonly DeclaredArtifact[],
  to: Machine,
  stage: string,
): Promise<void> {
  const collected = new Set(await readdir(stage));
  for (const [index, { source }] of [...artifacts, commonFolder].entries()) {
    const [folder, files] = [`${index}-folder`, `${index}-file`];
    if (collected.has(folder)) await to.copyIn(join(stage, folder), source);
    if (!collected.has(files)) continue;
    for (const file of await readdir(join(stage, files)))
      await to.copyIn(join(stage, files, file), join(dirname(source), file));
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
