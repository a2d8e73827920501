import type { Reporter, TestModule } from "vitest/node";

/** Names each test that failed first and passed when it was tried again, with its first failure: a second try hides nothing. */
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) {
        if (test.diagnostic()?.flaky !== true) continue;
        const [error] = test.result().errors ?? [];
        const stack = (error?.stack ?? error?.message ?? "").split("\n");
        const ours = stack.filter((line) => !line.includes("node_modules"));
        console.log(`flaky: ${module.relativeModuleId} > ${test.fullName}\n${ours.join("\n")}\n`);
      }
    }
  }
}
