import { Fragment, type ReactNode } from "react";

/** A label and its value. Facts without a value are omitted. */
export type Fact = readonly [label: string, value: ReactNode];

/** A list of facts about the subject of a page. */
export function Facts({
  facts,
  className,
}: {
  readonly facts: readonly Fact[];
  readonly className?: string;
}): ReactNode {
  return (
    <dl className={className}>
      {facts.map(([label, value], index) =>
        value === undefined || value === null ? null : (
          <Fragment key={index}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}
