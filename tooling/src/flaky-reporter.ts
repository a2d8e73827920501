import type { Reporter, TestModule } from "vitest/node";

/** Lists each test that passed only on a retry, with its first failure. */
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) {
        if (test.diagnostic()?.flaky !== true) continue;
        const [error] = test.result().errors ?? [];
        const stack = (error?.stack ?? error?.message ?? "").split("\n");
        const ownFrames = stack.filter((line) => !line.includes("node_modules"));
        console.log(
          `flaky: ${module.relativeModuleId} > ${test.fullName}\n${ownFrames.join("\n")}\n`,
        );
      }
    }
  }
}
