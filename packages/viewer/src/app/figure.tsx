interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly hint?: string | undefined;
  readonly isStrong?: boolean | undefined;
}

/** One entry of a list of figures. */
export function Figure({ name, value, hint, isStrong }: FigureProps) {
  return (
    <div title={hint}>
      <dt>{name}</dt>
      <dd className={isStrong === true ? "strong" : undefined}>{value}</dd>
    </div>
  );
}
