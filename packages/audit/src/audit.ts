import { ConfigError, type JudgeModels } from "@envs/core";

import { acceptanceOf, type Acceptances } from "./acceptance.ts";
import type { AuditReport, Finding, RuleResult } from "./report.ts";
import { notTried, type Rule, type RuleOutcome } from "./rule.ts";
import { rules as allRules } from "./rules/index.ts";
import { type Breakdown, Worker } from "./worker/worker.ts";

export interface AuditOptions {
  /** The URL of the module whose default export is the environment. */
  readonly module: string;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Ids of the rules that are applied. Default: all. */
  readonly rules?: readonly string[] | undefined;
  /** The number of examples that are tried. Default 12. */
  readonly examples?: number | undefined;
  /** Default 0. */
  readonly seed?: number | undefined;
  /** Default: `eval` if it exists, else the first. */
  readonly split?: string | undefined;
  /** Judges the replies; of several, the first. Default: judged scores are left out of rewards. */
  readonly judge?: JudgeModels | undefined;
  /** The time limit of each rule, in milliseconds. Default 60,000. */
  readonly timeLimit?: number | undefined;
  /** Findings that the author accepts. */
  readonly accept?: Acceptances | undefined;
  /** Called before each rule. */
  readonly onRule?: ((id: string) => void) | undefined;
}

/**
 * Applies rules to an environment in a separate process, and starts another after a rule that hangs or crashes. Throws a
 * `ConfigError` for unknown rules, and for an environment that cannot be loaded.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { seed = 0, split, config = {}, accept = {}, onRule } = options;
  const selected = selectRules(options.rules);
  const run = new Run(options);
  const results: RuleResult[] = [];
  const findings: Finding[] = [];
  try {
    for (const rule of selected) {
      onRule?.(rule.id);
      const start = performance.now();
      const { tried, isTried, evidence } = await run.check(rule);
      const seconds = (performance.now() - start) / 1000;
      const state = !isTried ? "not-tried" : evidence.length > 0 ? "found" : "passed";
      results.push({ rule: rule.id, state, tried, seconds });
      for (const item of evidence) {
        const id = item.variant === "" ? rule.id : `${rule.id}:${item.variant}`;
        const accepted = acceptanceOf({ id, rule: rule.id }, accept);
        const { severity } = rule;
        findings.push({
          ...item,
          // Removes a final period, because reports add one.
          message: item.message.replace(/\.$/, ""),
          number: findings.length + 1,
          id,
          rule: rule.id,
          severity,
          accepted,
        });
      }
    }
  } finally {
    run[Symbol.dispose]();
  }
  const { environment, examples } = run;
  return {
    environment,
    config,
    seed,
    split: split ?? null,
    examples,
    rules: results,
    findings,
    unusedAcceptances: unusedIn(accept, results, findings),
  };
}

/** The rules of these ids, in the order of the list of all. */
function selectRules(ids: readonly string[] | undefined): readonly Rule[] {
  const unknown = ids?.find((id) => allRules.every((rule) => rule.id !== id));
  if (unknown !== undefined)
    throw new ConfigError(
      `${JSON.stringify(unknown)} is not a rule. The rules are: ${allRules.map(({ id }) => id).join(", ")}.`,
    );
  return allRules.filter(({ id }) => ids === undefined || ids.includes(id));
}

function unusedIn(
  accept: Acceptances,
  results: readonly RuleResult[],
  findings: readonly Finding[],
): readonly string[] {
  return Object.keys(accept).filter((id) => {
    const result = results.find(({ rule }) => rule === id.split(":")[0]);
    const isTried = result !== undefined && result.state !== "not-tried";
    return isTried && findings.every((finding) => finding.id !== id && finding.rule !== id);
  });
}

/** The process of an audit, and its successors. */
class Run implements Disposable {
  environment = "";
  examples = 0;
  readonly #options: AuditOptions;
  #worker: Worker | undefined;
  /** Why no process can play the environment. */
  #obstacle: Breakdown | undefined;
  #hasReported = false;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  async check(rule: Rule): Promise<RuleOutcome> {
    const worker = await this.#start();
    if (worker === undefined) return this.#obstructed();
    const answer = await worker.check(rule.id);
    if (answer.type === "outcome") return answer.outcome;
    this.#worker = undefined;
    if (answer.type === "breakdown") return brokenDown(answer);
    throw new Error(`The process of the audit answered ${answer.type}.`);
  }

  [Symbol.dispose](): void {
    this.#worker?.[Symbol.dispose]();
  }

  async #start(): Promise<Worker | undefined> {
    if (this.#worker !== undefined || this.#obstacle !== undefined) return this.#worker;
    const {
      module,
      config = {},
      seed = 0,
      split,
      examples,
      judge,
      timeLimit = 60_000,
    } = this.#options;
    const worker = new Worker({ judge, timeLimit });
    const answer = await worker.prepare({
      module,
      config,
      seed,
      split,
      examples,
      hasJudge: judge !== undefined,
    });
    if (answer.type === "unprepared") {
      worker[Symbol.dispose]();
      throw new ConfigError(`The environment cannot be audited: ${answer.problem}`);
    }
    if (answer.type === "breakdown") this.#obstacle = answer;
    if (answer.type === "prepared") {
      this.environment = answer.environment;
      this.examples = answer.examples;
      this.#worker = worker;
    }
    return this.#worker;
  }

  /** The outcome of the first rule if something prevents all rules. */
  #obstructed(): RuleOutcome {
    const isFirst = !this.#hasReported;
    this.#hasReported = true;
    return isFirst
      ? brokenDown(this.#obstacle!)
      : notTried("the best and silent rollouts do not end");
  }
}

function brokenDown({ kind, reason, conversation }: Breakdown): RuleOutcome {
  const conversations = conversation === undefined ? [] : [conversation];
  const cause =
    kind === "hang"
      ? "The environment's code blocks the process"
      : "The environment's code ends the process";
  return {
    tried: `ended by a ${kind}`,
    isTried: true,
    evidence: [{ variant: kind, message: `${cause}: ${reason}`, conversations }],
  };
}
