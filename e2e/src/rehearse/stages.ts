/** Runs the stages of a rehearsal, and prints each with its time. */
export class Stages {
  #passed: readonly { readonly name: string; readonly seconds: number }[] = [];

  /** Runs one stage. Prints its name, its time, and what `detail` makes of its result. */
  async run<Result>(
    name: string,
    work: () => Promise<Result>,
    detail: (result: Result) => string = () => "",
  ): Promise<Result> {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    try {
      const result = await work();
      this.#passed = [...this.#passed, { name, seconds: seconds() }];
      print(`✓ ${name.padEnd(34)} ${seconds().toFixed(1).padStart(6)} s  ${detail(result)}`);
      return result;
    } catch (error) {
      print(`✗ ${name.padEnd(34)} ${seconds().toFixed(1).padStart(6)} s`);
      throw error;
    }
  }

  /** The time of all stages whose name starts with a prefix. */
  secondsOf(prefix: string): number {
    const stages = this.#passed.filter(({ name }) => name.startsWith(prefix));
    return stages.reduce((sum, { seconds }) => sum + seconds, 0);
  }
}

function print(line: string): void {
  process.stdout.write(`${line.trimEnd()}\n`);
}
