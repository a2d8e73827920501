import { Fragment, type ReactNode } from "react";

/** The title of an entry of a list, and a note below it. */
export function Entry({
  title,
  href,
  isName = false,
  children,
}: {
  readonly title: string;
  readonly href?: string;
  /** Whether the title names a package or a version, which are not bold. */
  readonly isName?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="what">
      {isName && href !== undefined ? (
        <NameLink href={href}>{title}</NameLink>
      ) : (
        <Title title={title} href={href} />
      )}
      <span className="quiet small">{children}</span>
    </div>
  );
}

function Title({ title, href }: { title: string; href: string | undefined }): ReactNode {
  const text = <strong>{title}</strong>;
  return href === undefined ? text : <a href={href}>{text}</a>;
}

/** A link whose text is the name of a package, a version or a model. */
export function NameLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  return (
    <a className="name" href={href}>
      {children}
    </a>
  );
}

const format = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** A day in UTC. */
export function Day({ date }: { readonly date: Date }): ReactNode {
  return <time dateTime={date.toISOString()}>{dayFormat.format(date)}</time>;
}

/** A date and time in UTC: without scripts, a page cannot know the reader's time zone. */
export function DateTime({ date }: { readonly date: Date }): ReactNode {
  return <time dateTime={date.toISOString()}>{`${format.format(date)} UTC`}</time>;
}

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

/** A shell command with a button that copies it. */
export function Command({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="command">
      <code>{text}</code>
      <button type="button" className="second small" data-copy={text} aria-label={`Copy ${text}`}>
        Copy
      </button>
    </p>
  );
}

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
