import type {
  RunOptions,
  RunResult,
  Sandbox,
  SandboxOptions,
  SandboxProvider,
} from "@envs/sandbox";

/** A sandbox that starts with the first run, so that a rollout without code does not start a process. */
export class LazySandbox implements AsyncDisposable {
  readonly #create: () => Promise<Sandbox>;
  #created: Promise<Sandbox> | undefined;

  constructor(provider: SandboxProvider, options: SandboxOptions) {
    this.#create = () => provider.create(options);
  }

  async run(code: string, options?: RunOptions): Promise<RunResult> {
    this.#created ??= this.#create();
    return await (await this.#created).run(code, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The run reports that the sandbox cannot start.
    const sandbox = await this.#created?.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }
}
