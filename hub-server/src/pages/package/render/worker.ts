import { highlight, tokensHtml } from "./highlight.ts";
import { type Patch, patchOf } from "./patch.ts";
import type { ReadmeBase } from "./readme-links.ts";
import { readmeHtml } from "./readme.ts";

/** The tasks of the rendering process. Untrusted files can make a task slow. */
export interface RenderTasks {
  /** A README as HTML. */
  readonly readme: {
    readonly task: { readonly markdown: string; readonly base: ReadmeBase };
    readonly result: string;
  };
  /** The lines of a file as HTML. */
  readonly code: {
    readonly task: { readonly text: string; readonly language: string | undefined };
    readonly result: readonly string[];
  };
  /** The differences of two texts. */
  readonly patch: {
    readonly task: { readonly before: string; readonly after: string };
    readonly result: Patch;
  };
}

type Work<Name extends keyof RenderTasks> = (
  task: RenderTasks[Name]["task"],
) => Promise<RenderTasks[Name]["result"]>;

export const readme: Work<"readme"> = ({ markdown, base }) => readmeHtml(markdown, base);

export const code: Work<"code"> = async ({ text, language }) =>
  (await highlight(text, language)).map((tokens) => tokensHtml(tokens));

export const patch: Work<"patch"> = async ({ before, after }) => patchOf(before, after);
