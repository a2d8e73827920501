/** A thread, as seen by the thread that started it; implemented for Node and for browsers. */
export interface Thread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** The listener is called when the thread has ended or has sent a message that cannot be read. */
  onEnd(listener: (error: Error) => void): void;
  terminate(): Promise<void>;
  /** Keeps the process alive while the thread runs. */
  ref(): void;
  /** Lets the process exit while the thread runs. */
  unref(): void;
}

/** The thread that started this one. */
export interface ParentThread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
