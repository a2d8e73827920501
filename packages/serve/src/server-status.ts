/** The figures of `/health` and `/metrics`, summed over all processes of a server. */
export interface ServerStatus {
  readonly isDraining: boolean;
  readonly sessions: {
    readonly open: number;
    readonly max: number;
    /** Those whose environment is running. */
    readonly busy: number;
    /** Those whose environment has been running for half of the time limit, or whose process is blocked. */
    readonly stuck: number;
  };
  /** Resets, steps and scores that exceeded the time limit. */
  readonly timeouts: number;
  readonly processes: {
    readonly ready: number;
    /** Those that have not answered for some time, because an environment does not yield. */
    readonly blocked: number;
    /** Those that were ended because they did not answer within the time limit. */
    readonly killed: number;
    /** Those that ended by themselves. */
    readonly crashed: number;
  };
}
