// oxlint-disable vitest/valid-title, vitest/expect-expect, vitest/no-conditional-tests -- this module defines the tests of callers

import process from "node:process";

import { ConfigError, type Environment, type Example } from "@envs/core";
import { defaultExamples, examples, type KeyedExample, onAbort } from "@envs/core/engine";
import { afterAll, describe, type RunnerTask, test, type TestContext } from "vitest";

import { cassettePath, isRecordable, openTestCassette } from "./cassettes.ts";
import type { CassetteFile } from "./cassettes/cassette-file.ts";
import { exampleProblem, verdictText } from "./example-problem.ts";
import { conditionsOf } from "./gate.ts";
import { type DescribeOptions, planOf, type SuitePlan, withPrices } from "./options.ts";
import { type ExampleOutcome, outcomeOf } from "./outcome.ts";
import { exampleMeta } from "./report/example-meta.ts";
import { gateMeta } from "./report/gate-meta.ts";
import { SuiteRun } from "./suite-run.ts";
import { exampleTitle, suiteTitle } from "./titles.ts";

/**
 * Defines a vitest suite: a test for each example, which plays it several times, and one for the gate and the budget. The trials of
 * all tests that vitest selects run together.
 */
export function describeEnvironment<E extends Example, State, Name extends string>(
  environment: Environment<E, State, Name>,
  options: DescribeOptions,
): void {
  const requested = planOf(options);
  const name = requested.name ?? suiteTitle(environment, requested.model);
  describe(name, async () => {
    const plan = await withPrices(requested);
    const rows = await rowsOf(environment, plan);
    const keys = new Map(rows.map((row) => [exampleTitle(row), row.key]));
    const suite = suiteOf(environment, { plan, name, keys });
    for (const title of keys.keys())
      test(title, { timeout: plan.timeout }, (context) => suite.checkExample(context));
    if (plan.gate !== undefined || plan.budget !== undefined)
      test(gateTitle(plan), { timeout: plan.timeout }, (context) => suite.checkGate(context));
    afterAll(() => suite.close());
  });
}

async function rowsOf(environment: Environment, plan: SuitePlan): Promise<readonly KeyedExample[]> {
  const count = plan.examples ?? defaultExamples;
  const rows = await Array.fromAsync(examples(environment, { ...plan, count }));
  if (rows.length > 0) return rows;
  throw new ConfigError(
    `${environment.name} has no example to test. Change examples, select or split.`,
  );
}

function gateTitle({ gate, budget }: SuitePlan): string {
  if (gate === undefined) return "stays within the budget";
  return budget === undefined ? "passes the gate" : "passes the gate within the budget";
}

interface SuiteOptions {
  readonly plan: SuitePlan;
  readonly name: string;
  /** The keys of the examples by the titles of their tests. */
  readonly keys: ReadonlyMap<string, string>;
}

interface Suite {
  checkExample(context: TestContext): Promise<void>;
  checkGate(context: TestContext): Promise<void>;
  close(): Promise<void>;
}

function suiteOf(environment: Environment, { plan, name, keys }: SuiteOptions): Suite {
  let opened: Promise<{ run: SuiteRun; cassette: CassetteFile | undefined }> | undefined;

  /** Starts with the first test that runs: only then, vitest has selected the tests. */
  const open = async (task: RunnerTask) => {
    const cassette =
      plan.cassette === false || !isRecordable(plan.model)
        ? undefined
        : await openTestCassette(
            cassettePath(task.file.filepath, name, plan.cassette),
            process.env,
            { normalise: plan.normalise, testFile: task.file.filepath },
          );
    const run = new SuiteRun(environment, plan, { keys: selectedKeys(task, keys), cassette });
    return { run, cassette };
  };

  const checkExample = async ({ task, signal, annotate }: TestContext): Promise<void> => {
    const { run, cassette } = await (opened ??= open(task));
    const trials = await unlessAborted(signal, run.trials(keys.get(task.name)!));
    // Saves now and not only at the end, because the recordings of a killed run cost money.
    await cassette?.save();
    const [outcome] = outcomeOf(trials, plan).examples as [ExampleOutcome];
    Object.assign(task.meta, exampleMeta(outcome, { environment, plan }));
    if (outcome.verdict === "flaky") await annotate(verdictText(outcome), "warning");
    const problem = exampleProblem(outcome, plan);
    if (problem !== undefined) throw new TrialError(problem);
  };

  const checkGate = async ({ task, skip, annotate }: TestContext): Promise<void> => {
    const { run } = await (opened ??= open(task));
    const outcome = outcomeOf(run.rollouts, plan);
    if (outcome.examples.length < keys.size)
      skip(`only ${outcome.examples.length} of ${keys.size} examples were played`);
    const conditions = conditionsOf(plan.gate ?? {}, outcome);
    Object.assign(task.meta, gateMeta(outcome, conditions));
    const { passed, flaky, broken, failed } = outcome.verdicts;
    await annotate(
      `${passed} passed, ${flaky} flaky, ${broken} broken, ${failed} failed; ${run.meter.text}`,
    );
    const problems = [
      ...conditions.flatMap(({ isMet, text }) => (isMet ? [] : [text])),
      ...(run.meter.problem === undefined ? [] : [run.meter.problem]),
      ...(failed === 0 ? [] : [`${failed} examples have trials that could not be finished.`]),
    ];
    if (problems.length > 0) throw new TrialError(problems.join("\n"));
  };

  const close = async (): Promise<void> => {
    if (opened === undefined) return;
    const { run, cassette } = await opened;
    await run.close();
    await cassette?.save();
  };
  return { checkExample, checkGate, close };
}

/** A test that did not pass. Its stack would only show this package. */
class TrialError extends Error {
  override readonly name = "TrialError";

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

/** The examples whose tests run: others may be filtered by name, or skipped. */
function selectedKeys(task: RunnerTask, keys: ReadonlyMap<string, string>): ReadonlySet<string> {
  const selected = (task.suite?.tasks ?? []).filter(
    ({ mode }) => mode === "run" || mode === "queued",
  );
  return new Set(
    selected.flatMap(({ name }) => {
      const key = keys.get(name);
      return key === undefined ? [] : [key];
    }),
  );
}

/** Rejects when the test is cancelled or has timed out. */
function unlessAborted<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => reject(signal.reason as Error));
    void value.then(resolve, reject).finally(unsubscribe);
  });
}
