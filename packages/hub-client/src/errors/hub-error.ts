/** An entry of the error reference. */
export interface HubErrorEntry {
  /** The HTTP status. */
  readonly status: number;
  /** A second status of the same code, where two routes need different ones. */
  readonly otherStatus?: number;
  /** The failure, in one sentence. */
  readonly what: string;
  /** The cause. */
  readonly why: string;
  /** The remedy, in the imperative. */
  readonly fix: string;
}
