import type { ReactNode } from "react";

import type { ExampleResult } from "../../evaluations/compare/example-means.ts";
import { counted, rolloutPath, score } from "./texts.ts";

/** Examples with their mean rewards and a link to their first rollout. */
export function ExampleList({
  title,
  runId,
  examples,
}: {
  readonly title: string;
  readonly runId: string;
  readonly examples: readonly ExampleResult[];
}): ReactNode {
  return (
    <section>
      <h3>{title}</h3>
      <ol className="list example-list">
        {examples.map((example) => (
          <li key={example.exampleKey}>
            <div className="what">
              <a href={rolloutPath(runId, example.position)}>{`Example ${example.exampleIndex}`}</a>
              <span className="quiet small">
                <code>{example.exampleKey}</code>, {counted(example.rollouts, "rollout")}
              </span>
            </div>
            <strong className="number">{score(example.mean)}</strong>
          </li>
        ))}
      </ol>
    </section>
  );
}
