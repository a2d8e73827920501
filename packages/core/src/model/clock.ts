/** A start and an end, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The time for records, in milliseconds since 1970. It never decreases within a process. */
export function now(): number {
  return (timeOrigin ??= performance.timeOrigin) + performance.now();
}

/** Read once, because reading it takes as long as reading the clock. */
let timeOrigin: number | undefined;
