/** HTTP statuses of the hub's errors. */
export type HubErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 413
  | 414
  | 415
  | 416
  | 422
  | 429
  | 431
  | 500
  | 503
  | 507;

/** An entry of the error reference. */
export interface HubErrorEntry {
  readonly status: HubErrorStatus;
  /** A second status of the same code, where two routes need different ones. */
  readonly otherStatus?: HubErrorStatus;
  /** The failure, in one sentence. */
  readonly what: string;
  /** The cause. */
  readonly why: string;
  /** The remedy, in the imperative. */
  readonly fix: string;
}
