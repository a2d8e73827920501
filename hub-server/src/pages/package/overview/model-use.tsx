import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import { readRuns } from "../../../evaluations/runs/read-runs.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { Command } from "../../layout/elements.tsx";
import type { PackageView } from "../package-view.ts";

/** The trainings that produced a model's package. */
export async function trainingsOf(
  { database }: Hub,
  { detail, identity }: PackageView,
): Promise<readonly Run[]> {
  const filter = { modelPackage: detail.name, kind: "training" } as const;
  return await readRuns(database, identity, filter, { from: 0, limit: 10 });
}

/** How to run a model, and the environments that it was trained on. */
export function ModelUse({
  name,
  trainings,
}: {
  readonly name: string;
  readonly trainings: readonly Run[];
}): ReactNode {
  const [environment = "<environment>"] = trainings.map(({ recipe }) => recipe.package);
  return (
    <section className="section">
      <h2 id="use">Use the model</h2>
      <Command text={`envs eval ${environment} -m tiny:${modelName(name)}`} />
      {trainings.length > 0 && (
        <ul className="list">
          {trainings.map(({ id, recipe, owner }) => (
            <li key={id}>
              <span className="what">
                <a href={`/run/${id}`}>Training on {recipe.package}</a>
                <span className="quiet small">
                  version {recipe.version}, by {owner}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The command line finds `tictactoe` in `@envs/tiny-tictactoe`, and other models by the names of their packages. */
function modelName(name: string): string {
  return /^@envs\/tiny-(.+)$/.exec(name)?.[1] ?? name;
}
