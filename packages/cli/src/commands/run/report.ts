import { resolve } from "node:path";

import { findRuns } from "@envs/records/node";
import { fieldsOfRows, parseWhere, type RolloutRow, rowValue } from "@envs/viewer";
import { type RunReader, Workspace, writeReport } from "@envs/viewer/node";

import { defineCommand } from "../../terminal/command.ts";
import { FailureError, UsageError } from "../../terminal/errors.ts";
import { argument, valueOption, flag } from "../../terminal/options.ts";
import { success } from "../../terminal/output.ts";
import { saveOption } from "../../terminal/shared-options.ts";
import { nearPath } from "../../text/run-path.ts";
import { tinyVocabulary } from "../../viewer/vocabulary.ts";
import { openReader } from "../../viewer/web.ts";

export const command = defineCommand({
  meta: { name: "run report", description: "Write a run as one HTML file to share" },
  args: {
    run: argument(
      "A run folder, a training run, or a log of verifiers or Inspect (default: the newest run)",
    ),
    html: flag("Write one HTML file that needs no server"),
    compare: valueOption("Another run, which the report compares with the first", "run"),
    where: valueOption("Include only matching rollouts, such as 'reward < 1'", "expression", "w"),
    output: valueOption("The file to write (default <environment>-report.html)", "file", "o"),
    save: saveOption,
  },

  async run({ args }): Promise<number> {
    if (args.html !== true)
      throw new UsageError(
        "Missing format. Pass --html, the only one: envs run report <run> --html",
      );
    const workspace = new Workspace();
    const path = args.run ?? (await findRuns(args.save))[0];
    if (path === undefined)
      throw new FailureError(
        `No runs found in ${args.save}. Create one: envs eval tictactoe -m policy:optimal`,
      );
    const readers = [path, ...(args.compare === undefined ? [] : [args.compare])].map((run) =>
      openReader(workspace, run),
    );
    const steps = await Promise.all(readers.map((reader) => workspace.openSteps(reader)));
    const { environment, model } = await readers[0]!.readHead();
    const file = resolve(args.output ?? `${environment.replaceAll(/[^\w.-]+/gu, "_")}-report.html`);
    const { rollouts: count, leftOut } = await writeReport(file, {
      title: `${environment} · ${model}`,
      readers: [...readers, ...steps.flat()],
      vocabularyOf: tinyVocabulary,
      includes: args.where === undefined ? undefined : await filterOf(args.where, readers),
    });
    const counted = `${count} ${count === 1 ? "rollout" : "rollouts"}`;
    process.stdout.write(`${success(`${nearPath(file)} contains ${counted}.`)}\n`);
    if (leftOut.files > 0)
      process.stdout.write(
        `It leaves out ${leftOut.files} ${leftOut.files === 1 ? "file" : "files"} of ${(leftOut.bytes / 1e6).toFixed(1)} MB, because a report contains at most 50 MB of images, audio and files. To see them: envs view --web\n`,
      );
    return 0;
  },
});

/** The filter of an expression. Throws a `UsageError` for a mistake, before anything is written. */
async function filterOf(
  where: string,
  readers: readonly RunReader[],
): Promise<(row: RolloutRow) => boolean> {
  for (const reader of readers) await reader.refresh();
  const rows = readers.flatMap((reader) => reader.rows);
  const scores = [...new Set(rows.flatMap((row) => Object.keys(row.scores)))];
  const matches = parseWhere(where, fieldsOfRows(rows, scores));
  return (row) => matches((name) => rowValue(row, name));
}
