import type { ReactNode } from "react";

/** Links as tags in a row. */
export function TagLinks({
  names,
  hrefOf,
  label,
}: {
  readonly names: readonly string[];
  readonly hrefOf: (name: string) => string;
  /** The name of the list, for screen readers. */
  readonly label?: string;
}): ReactNode {
  if (names.length === 0) return null;
  return (
    <ul className="tags" aria-label={label}>
      {names.map((name) => (
        <li key={name}>
          <a className="tag" href={hrefOf(name)}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
