import { Fragment, type ReactNode } from "react";

/** A table that scrolls in its own region, with a row of headings. */
export function Table({
  label,
  className,
  headings,
  children,
}: {
  /** The name of the region, for screen readers. */
  readonly label: string;
  /** The classes of the region, besides `scroll`. */
  readonly className?: string;
  /** Heading cells, or the texts of some. */
  readonly headings: readonly ReactNode[];
  /** The rows. */
  readonly children: ReactNode;
}): ReactNode {
  const classes = className === undefined ? "scroll" : `scroll ${className}`;
  return (
    <div className={classes} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {headings.map((heading, index) =>
              typeof heading === "string" ? (
                <th key={index}>{heading}</th>
              ) : (
                <Fragment key={index}>{heading}</Fragment>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The heading of a column of numbers. */
export function number(title: string): ReactNode {
  return <th className="number">{title}</th>;
}

/** A heading that only screen readers announce. */
export function unseen(title: string): ReactNode {
  return (
    <th>
      <span className="unseen">{title}</span>
    </th>
  );
}
