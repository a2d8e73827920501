/** A start and an end, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
