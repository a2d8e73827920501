import * as z from "zod";

import { ConfigError } from "../errors.ts";
import type { WorkspaceFiles } from "../model/workspace-files.ts";
import type { EpisodeContext } from "./context.ts";
import type { AnyDefinition } from "./environment.ts";
import type { Tool, Toolset } from "./tool.ts";

/** The name of the tool that saves changes. Models do not know it; policies may call it. */
export const workspaceTool = "workspace";

const changes = z.object({ files: z.record(z.string(), z.string().nullable()) });

/** Throws a `ConfigError` for a workspace that lacks one of its functions. */
export function checkWorkspace({ name, workspace }: AnyDefinition): void {
  if (workspace === undefined) return;
  const missing = (["files", "save"] as const).find((key) => typeof workspace[key] !== "function");
  if (missing !== undefined)
    throw new ConfigError(
      `The workspace of ${name} has no function ${missing}. Write workspace: { files: ({ example }) => …, save({ state, files }) { … } }.`,
    );
}

/** Adds the tool that saves changes to the tools of an episode. */
export function withWorkspace({ name, workspace }: AnyDefinition, toolset: Toolset): Toolset {
  if (workspace === undefined) return toolset;
  if (Object.hasOwn(toolset, workspaceTool))
    throw new ConfigError(
      `${name} has a tool named ${workspaceTool}, which is the name of the tool that saves its workspace. Rename it.`,
    );
  const save: Tool<never, never, never, typeof changes> = {
    description: "Saves changed files.",
    input: changes,
    sequential: true,
    async execute({ files }, context) {
      checkPaths(Object.keys(files));
      await workspace.save({ ...context, files } as never);
      return `Saved: ${Object.keys(files).toSorted().join(", ")}`;
    },
  };
  return { ...toolset, [workspaceTool]: save };
}

/** Returns the files of an episode's workspace. Throws for a path that a program could not find in its folder. */
export async function filesOf(
  { workspace }: AnyDefinition,
  context: EpisodeContext<never, never, unknown, never>,
): Promise<WorkspaceFiles> {
  const files = await workspace!.files(context);
  checkPaths(Object.keys(files));
  return files;
}

function checkPaths(paths: readonly string[]): void {
  const invalid = paths.find((path) =>
    path.split("/").some((name) => name === "" || name === "." || name === ".."),
  );
  if (invalid !== undefined)
    throw new Error(
      `The workspace has a file ${JSON.stringify(invalid)}, which is not a path in a folder. Use names with / between them.`,
    );
}
