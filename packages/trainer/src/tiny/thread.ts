/** Another thread, from the side that started it. `thread.node.ts` and `thread.browser.ts` make them. */
export interface Thread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Hears that the thread is no more, or that nothing more can be heard of it. */
  onEnd(listener: (error: Error) => void): void;
  terminate(): Promise<void>;
  /** Lets the process end although the thread is there; `wake` takes it back. */
  rest(): void;
  wake(): void;
}

/** The side that started a thread, from within. */
export interface Host {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
