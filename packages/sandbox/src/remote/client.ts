/**
 * The part of a service's client that {@link remote} uses, from the class `Sandbox` of `@e2b/code-interpreter`. Tests compare it
 * with E2B's class.
 */
export interface RemoteClient {
  create(options: RemoteCreateOptions): Promise<RemoteMachine>;
}

export interface RemoteCreateOptions {
  /** The service ends the machine after this time. */
  readonly timeoutMs: number;
  readonly allowInternetAccess: boolean;
  /** The label by which `envs sandbox doctor` finds the machine after this process was killed. */
  readonly metadata: Record<string, string>;
}

/** The functions with which a service lists and ends its machines, from the same class of E2B. */
export interface RemoteDirectory {
  list(): {
    readonly hasNext: boolean;
    nextItems(): Promise<
      readonly { readonly sandboxId: string; readonly metadata: Record<string, string> }[]
    >;
  };
  kill(id: string): Promise<unknown>;
}

/** A running machine of the service. */
export interface RemoteMachine {
  runCode(code: string, options: RemoteRunOptions): Promise<RemoteExecution>;
  readonly files: {
    read(path: string, options: { readonly format: "bytes" }): Promise<Uint8Array>;
    write(path: string, content: string | ArrayBuffer): Promise<unknown>;
  };
  kill(): Promise<unknown>;
}

export interface RemoteRunOptions {
  readonly language: string;
  readonly timeoutMs: number;
  readonly onStdout: (message: { readonly line: string }) => void;
  readonly onStderr: (message: { readonly line: string }) => void;
}

/** The result of one run. */
export interface RemoteExecution {
  readonly results: readonly {
    readonly isMainResult: boolean;
    readonly json?: unknown;
    readonly text?: string | undefined;
  }[];
  readonly error?:
    | { readonly name: string; readonly value: string; readonly traceback: string }
    | undefined;
}
