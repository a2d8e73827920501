import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { AdapterFiles } from "../../backend.ts";
import { writeAdapter } from "../../node/adapter-folder.ts";
import type { TrainingRecord } from "../../node/training-folder.ts";

export interface AdapterPackage {
  readonly name: string;
  /** The name under which servers of the adapter load the base model. */
  readonly baseModel: string;
  readonly record: TrainingRecord;
  readonly files: AdapterFiles;
  /** The path of the run's report. */
  readonly report: string;
}

/** Writes the package of an adapter: its files in PEFT's format, package.json, and a model card from the run's report. */
export async function writeAdapterPackage(
  folder: string,
  { name, baseModel, record, files, report }: AdapterPackage,
): Promise<void> {
  const { environment } = record;
  const played = environment.package ?? environment.name;
  const packageJson = {
    name,
    version: "0.1.0",
    description: `LoRA adapter of ${baseModel}, trained on ${environment.name}`,
    keywords: ["language-model", "llm-environment-model", "lora", "safetensors"],
    files: ["adapter_config.json", "adapter_model.safetensors"],
    type: "module",
    exports: Object.fromEntries(
      ["adapter_config.json", "adapter_model.safetensors", "package.json"].map((file) => [
        `./${file}`,
        `./${file}`,
      ]),
    ),
    envs: { plays: [played], baseModel },
  };
  await writeAdapter(folder, files);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(packageJson, undefined, 2)}\n`);
  await writeFile(
    join(folder, "README.md"),
    cardOf({ name, baseModel, report: await readFile(report, "utf8") }),
  );
}

function cardOf(card: { name: string; baseModel: string; report: string }): string {
  const { name, baseModel, report } = card;
  // The images of the report stay in the run's folder, and saved rollouts may contain texts of the dataset.
  const sections = report
    .replace(/^# .*\n/u, "")
    .split(/^(?=## )/mu)
    .filter((section) => !/^## (?:Curves|Sample rollouts)/u.test(section));
  return `# ${name}

A LoRA adapter of \`${baseModel}\` in the format of PEFT: \`adapter_config.json\` and \`adapter_model.safetensors\`. The licence of the base
model applies.

\`\`\`sh
vllm serve ${baseModel} --enable-lora --lora-modules tuned=<the folder of this package>
envs eval <environment> -m tuned --base-url http://localhost:8000/v1
\`\`\`

## How it was trained
${sections.join("").replaceAll(/^## /gmu, "### ")}`;
}
