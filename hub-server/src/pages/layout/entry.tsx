import type { ReactNode } from "react";

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

function Title({
  title,
  href,
}: {
  readonly title: string;
  readonly href: string | undefined;
}): ReactNode {
  const text = <strong>{title}</strong>;
  return href === undefined ? text : <a href={href}>{text}</a>;
}

/** A link whose text is the name of a package, a version or a model. */
export function NameLink({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <a className="name" href={href}>
      {children}
    </a>
  );
}
