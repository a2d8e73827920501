import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import {
  configFileOption,
  type EnvsCommand,
  integerOption,
  listOption,
  numberOption,
  printResult,
  success,
  UsageError,
  type ArgsDef,
  loadConfigFile,
  positionals,
  argument,
  valueOption,
  flag,
} from "@envs/cli/kit";
import {
  configFromArguments,
  loadEnvironment,
  sourceCommands,
  withConfigFlags,
} from "@envs/cli/kit/environments";
import { nearPath } from "@envs/cli/kit/layout";
import { judgeArguments, judgePlan, loadJudge, sharedModels } from "@envs/cli/kit/models";
import { checkRequirements, judgedScores } from "@envs/core/engine";
import { WriteError } from "@envs/records/node";

import { readAcceptances } from "../acceptance.ts";
import { audit } from "../audit.ts";
import { auditPage } from "../page.ts";
import { type AuditReport, openFindings } from "../report.ts";
import { rules } from "../rules/index.ts";
import { auditTasks, type TaskAudit, type TaskCommands, taskText } from "./audit-tasks.ts";
import { auditText, findingText, ruleList } from "./audit-text.ts";
import { taskPage } from "./task-page.ts";

const auditArguments = {
  environment: argument("A package, a path or harbor:<place>"),
  rules: valueOption("Apply only these rules (default: all; see --list)", "ids"),
  list: flag("List the rules and apply none"),
  examples: valueOption(
    "Number of examples that are tried (default 12; of tasks: all)",
    "count",
    "n",
  ),
  split: valueOption(
    "The split that is played (default: eval if it exists, else the first)",
    "name",
  ),
  seed: valueOption("Seed of the audit (default 0)", "number"),
  "time-limit": valueOption("Time limit of each rule (default 60)", "seconds"),
  finding: valueOption(
    "Show the conversations of a finding, by its number or id. With an id, only its rule is applied",
    "finding",
  ),
  html: valueOption("Also write the report as one HTML file", "file"),
  json: flag("Print one JSON object"),
  ...judgeArguments,
  judge: {
    ...judgeArguments.judge,
    description:
      "The model that judges replies, named as with -m (default: none, and rewards lack the judged scores)",
  },
  config: valueOption("The environment's config as JSON", "json"),
  "config-file": configFileOption,
} as const satisfies ArgsDef;

export const command: EnvsCommand<typeof auditArguments> = {
  meta: {
    name: "audit",
    description:
      "Find rewards that can be cheated, leaks, nondeterminism and other faults of an environment. Plays its policies and probes in a separate process, without a model; only --judge asks one. Exits with 1 if a finding is not accepted in envs.audit.json",
  },
  everydayOptions: [
    "rules",
    "list",
    "examples",
    "seed",
    "time-limit",
    "finding",
    "html",
    "json",
    "judge",
    "config",
  ],
  args: auditArguments,

  async argumentsFor(rawArgs): Promise<ArgsDef> {
    const [reference = ""] = positionals(rawArgs, auditArguments);
    const { taskRules } = await sourceCommands<TaskCommands>(reference);
    return taskRules === undefined ? withConfigFlags(rawArgs, auditArguments) : auditArguments;
  },

  async run({ args }): Promise<number> {
    const columns = process.stdout.columns ?? 100;
    const tasks = await sourceCommands<TaskCommands>(args.environment ?? "");
    if (args.list === true) {
      const listed = tasks.taskRules ?? rules;
      printResult(args.json, listed, ruleList(listed, columns));
      return 0;
    }
    if (args.environment === undefined)
      throw new UsageError("Missing environment. Example: envs audit ./my-environment");
    if (tasks.auditTasks !== undefined) return await auditTaskSet(tasks, args, columns);
    const report = await auditEnvironment(args);
    if (args.html !== undefined) await writePage(args.html, auditPage(report));
    const text =
      args.finding === undefined
        ? auditText(report, columns, args.environment)
        : oneFinding(report, args.finding, columns);
    printResult(args.json, report, text);
    return openFindings(report).length === 0 ? 0 : 1;
  },
};

type Tasks = Awaited<ReturnType<typeof sourceCommands<TaskCommands>>>;
type Arguments = Parameters<NonNullable<typeof command.run>>[0]["args"];

/** Audits the tasks of a source, whose rules are others: the tests of a task decide its rewards. */
async function auditTaskSet(
  { place, taskRules = [], auditTasks: run }: Tasks,
  args: Arguments,
  columns: number,
): Promise<number> {
  const audits = await auditTasks(run!, place, {
    rules: listOption(args.rules),
    examples: integerOption("examples", args.examples),
    onAudit: (audit) => {
      if (args.json !== true) process.stdout.write(`${taskText(audit, columns)}\n`);
    },
  });
  if (args.html !== undefined)
    await writePage(args.html, taskPage(args.environment!, audits, taskRules));
  // Almost every grader downloads something: findings of low severity alone do not fail a set.
  const isBroken = ({ findings }: TaskAudit): boolean =>
    findings.some(({ severity }) => severity !== "low");
  const broken = audits.filter(isBroken).length;
  const text = `\n${audits.length - broken} sound, ${broken} broken`;
  printResult(args.json, { environment: args.environment, audits }, text);
  return broken === 0 ? 0 : 1;
}

async function auditEnvironment(args: Arguments): Promise<AuditReport> {
  const loaded = await loadEnvironment(args.environment!);
  const config = await configFromArguments(args, auditArguments);
  const environment = loaded.factory(config);
  await checkRequirements(environment);
  const plan = judgePlan(args);
  const isJudged = plan.judge !== undefined && judgedScores(environment).length > 0;
  const { endpoints } = await loadConfigFile(args["config-file"]);
  const judge = isJudged ? await loadJudge(environment, plan, endpoints) : undefined;
  const seconds = numberOption("time-limit", args["time-limit"], (value) =>
    value > 0 ? undefined : "above 0",
  );
  try {
    return await audit({
      module: loaded.module,
      config,
      rules: selectedRules(args),
      examples: integerOption("examples", args.examples),
      seed: integerOption("seed", args.seed, 0),
      split: args.split,
      judge: judge && sharedModels(judge, plan),
      timeLimit: seconds === undefined ? undefined : seconds * 1000,
      accept: await readAcceptances(
        loaded,
        rules.map(({ id }) => id),
      ),
      onRule: (id) => showProgress(id),
    });
  } finally {
    showProgress(undefined);
    await judge?.close();
  }
}

function selectedRules({ rules: list, finding }: Arguments): readonly string[] | undefined {
  const isId = finding !== undefined && !/^#?\d+$/.test(finding);
  return isId ? [finding.split(":")[0]!] : listOption(list);
}

function oneFinding(report: AuditReport, name: string, columns: number): string {
  const { findings, environment } = report;
  const chosen = findings.filter(
    ({ number, id, rule }) =>
      String(number) === name.replace("#", "") || id === name || rule === name,
  );
  const known = findings.map(({ number, id }) => `#${number} ${id}`).join(", ");
  if (chosen.length === 0)
    throw new UsageError(
      findings.length === 0
        ? `There is no finding ${name} in ${environment}: no rule found a fault.`
        : `There is no finding ${name} in ${environment}. The findings are: ${known}.`,
    );
  return chosen
    .map((finding) =>
      findingText(
        finding,
        rules.find(({ id }) => id === finding.rule)!,
        columns,
      ),
    )
    .join("\n\n");
}

async function writePage(path: string, page: string): Promise<void> {
  const file = resolve(path);
  try {
    await writeFile(file, page);
  } catch (error) {
    throw new WriteError(`write ${file}`, error);
  }
  process.stderr.write(`${success(`${nearPath(file)} contains the report.`)}\n`);
}

/** One line that names the rule; `undefined` removes it. Only in a terminal. */
function showProgress(rule: string | undefined): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[2K${rule ?? ""}`);
}
