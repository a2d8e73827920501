import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import type { Comparison, PairedExample } from "../../evaluations/compare/example-means.ts";
import { number, Table, unseen } from "../layout/table.tsx";
import { counted, difference, rolloutPath, score, viewerPath } from "./texts.ts";

const maxShown = 40;

/** The examples whose rewards differ, regressions first. */
export function PairedExamples({
  baseline,
  comparison: { run, examples },
}: {
  readonly baseline: Run;
  readonly comparison: Comparison;
}): ReactNode {
  const changed = examples.filter((example) => example.difference !== 0);
  const shown =
    changed.length <= maxShown
      ? changed
      : [...changed.slice(0, maxShown / 2), ...changed.slice(-maxShown / 2)];
  return (
    <section>
      <h2>
        Examples: <span className="name">{run.recipe.model}</span> and the baseline
      </h2>
      {run.recipe.package === baseline.recipe.package && (
        <p>
          <a href={`${viewerPath(baseline.id)}#view=compare&other=${run.id}`}>
            Read both runs side by side
          </a>
        </p>
      )}
      {changed.length === 0 ? (
        <p className="quiet">
          {examples.length === 0
            ? "The runs share no scored example."
            : "Every shared example has the same mean reward in both runs."}
        </p>
      ) : (
        <>
          <p className="quiet">
            {counted(changed.length, "example")} differ, regressions first.
            {shown.length < changed.length &&
              ` The ${maxShown / 2} largest regressions and improvements:`}
          </p>
          <Table
            label={`Examples of ${run.recipe.model}`}
            headings={[
              "Example",
              number("Baseline"),
              number("This run"),
              number("Difference"),
              unseen("Direction"),
            ]}
          >
            {shown.map((example) => (
              <Row key={example.exampleKey} {...{ example, baseline, run }} />
            ))}
          </Table>
        </>
      )}
    </section>
  );
}

function Row({
  example,
  baseline,
  run,
}: {
  readonly example: PairedExample;
  readonly baseline: Run;
  readonly run: Run;
}): ReactNode {
  const isWorse = example.difference < 0;
  return (
    <tr>
      <td>
        {`Example ${example.exampleIndex} `}
        <code className="small quiet">{example.exampleKey}</code>
      </td>
      <td className="number">
        <a href={rolloutPath(baseline.id, example.baseline.position)}>
          {score(example.baseline.mean)}
        </a>
      </td>
      <td className="number">
        <a href={rolloutPath(run.id, example.other.position)}>{score(example.other.mean)}</a>
      </td>
      <td className="number strong">{difference(example.difference)}</td>
      <td>
        <span className={isWorse ? "tag danger" : "tag good"}>{isWorse ? "worse" : "better"}</span>
      </td>
    </tr>
  );
}
