import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";

import { parse } from "yaml";
import * as z from "zod";

import type { HarborTask } from "../task/task.ts";

/** Instructions for a kind of work that an agent may read when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The path of its SKILL.md in the machine. */
  readonly path: string;
}

const frontMatter = z.looseObject({
  name: z.string().optional(),
  description: z.string().default(""),
});

/** The skills of a task: those of its environment's files, which its image has below `skills_dir`. */
export function skillsOf({ folder, config }: HarborTask): readonly Skill[] {
  const place = config.environment.skills_dir;
  const source = join(folder, "environment");
  if (place === undefined || !existsSync(source)) return [];
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "SKILL.md")
    .toSorted()
    .map((path) => {
      const own = basename(dirname(path));
      const [, header = ""] =
        /^---\n(.*?)\n---/su.exec(readFileSync(join(source, path), "utf8")) ?? [];
      const { name = own, description } = readHeader(header);
      return { name, description, path: posix.join(place, own, "SKILL.md") };
    });
}

function readHeader(text: string): z.output<typeof frontMatter> {
  try {
    return frontMatter.parse(parse(text) ?? {});
  } catch {
    return { description: "" };
  }
}
