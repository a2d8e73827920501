/** Runs the stages of a rehearsal, and prints each with its time. */
export class Stages {
  readonly #seconds = new Map<string, number>();

  /** Runs one stage. Prints its name, its time, and the text that `detail` returns for its result. */
  async run<Result>(
    name: string,
    work: () => Promise<Result>,
    detail: (result: Result) => string = () => "",
  ): Promise<Result> {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    try {
      const result = await work();
      this.#seconds.set(name, seconds());
      print(`✓ ${name.padEnd(34)} ${seconds().toFixed(1).padStart(6)} s  ${detail(result)}`);
      return result;
    } catch (error) {
      print(`✗ ${name.padEnd(34)} ${seconds().toFixed(1).padStart(6)} s`);
      throw error;
    }
  }

  /** The time that stages took together. */
  secondsOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.#seconds.get(name) ?? 0), 0);
  }
}

function print(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}
