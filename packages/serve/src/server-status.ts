/** The figures of `/health` and `/metrics`, summed over all processes of a server. */
export interface ServerStatus {
  readonly isDraining: boolean;
  readonly sessions: {
    readonly open: number;
    readonly max: number;
    /** Sessions whose environment is running. */
    readonly busy: number;
    /** Sessions whose environment has been running for half of the time limit, or whose process is blocked. */
    readonly stuck: number;
  };
  /** Resets, steps and scores that exceeded the time limit. */
  readonly timeouts: number;
  readonly processes: {
    readonly ready: number;
    /** Processes that have not answered for some time, because an environment does not yield. */
    readonly blocked: number;
    /** Processes that were ended because they did not answer within the time limit. */
    readonly killed: number;
    /** Processes that ended by themselves. */
    readonly crashed: number;
  };
}
