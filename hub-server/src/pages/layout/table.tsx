import { Children, cloneElement, Fragment, isValidElement, type ReactNode } from "react";

/** A table that scrolls in its own region, with a row of headings. With the class `stacked`, phones show each row as a card. */
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
  /** The rows: elements `tr`, whose cells get the headings as labels. */
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
        <tbody>{labelled(children, headings)}</tbody>
      </table>
    </div>
  );
}

interface Content {
  readonly children?: ReactNode;
}

/** Gives each cell the text of its heading, which a phone shows beside it. */
function labelled(rows: ReactNode, headings: readonly ReactNode[]): ReactNode {
  const labels = Children.toArray([...headings]).map(labelOf);
  return Children.map(rows, (row) => {
    if (!isValidElement<Content>(row)) return row;
    const cells = Children.toArray(row.props.children).map((cell, index) =>
      isValidElement<{ readonly "data-label"?: string | undefined }>(cell)
        ? cloneElement(cell, { "data-label": labels[index] })
        : cell,
    );
    return cloneElement(row, {}, cells);
  });
}

function labelOf(heading: ReactNode): string | undefined {
  const content = isValidElement<Content>(heading) ? heading.props.children : heading;
  const text = [content].flat().find((part) => typeof part === "string");
  return text?.trim();
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
