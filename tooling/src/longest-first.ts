import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take a minute or more. A run that starts one of them last waits for it with one core. */
const longest = [
  "e2e/test/documents.slow.test.ts",
  "e2e/test/demo.slow.test.ts",
  "packages/trainer/test/smoke/benchmark.slow.test.ts",
  "packages/trainer/test/commands/training/propose-and-solve-recipe.slow.test.ts",
  "packages/audit/test/sandbox-escape.slow.test.ts",
  "packages/queue/test/commands/poisoned.slow.test.ts",
  "e2e/test/verdaccio-e2e.slow.test.ts",
  "hub-server/test/rescoring/rescoring.slow.test.ts",
  "e2e/test/hub-clients.slow.test.ts",
  "e2e/test/soak.slow.test.ts",
  "hub-server/test/backup.slow.test.ts",
  "e2e/test/agent-kill.slow.test.ts",
  "packages/queue/test/commands/queued-runs.slow.test.ts",
  "e2e/test/hub-kill.slow.test.ts",
  "e2e/test/train-queue.slow.test.ts",
  "e2e/test/push-kill.slow.test.ts",
  // Waits for the site of the documents, which is built while the others run.
  "hub-server/test/every-page.slow.test.ts",
];

/** Starts the longest files first; by itself, vitest starts those with the most bytes. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const first = longest.flatMap((name) => rest.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...new Set([...first, ...rest])];
  }
}
