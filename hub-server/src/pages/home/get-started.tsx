import type { ReactNode } from "react";

import { Command } from "../layout/elements.tsx";

/** The first commands for users and for authors of environments. */
export function GetStarted({ origin }: { readonly origin: string }): ReactNode {
  return (
    <section className="start">
      <h2>Start</h2>
      <ol className="steps">
        <li>
          <h3>Find one in your terminal</h3>
          <Command text={`envs search --registry ${origin}`} />
          <p className="small quiet">
            <a href="/docs/guides/get-the-command">Install the command</a>, or use this page.
          </p>
        </li>
        <li>
          <h3>Install and evaluate</h3>
          <Command text={`envs install <environment> --registry ${origin}`} />
          <p className="small quiet">
            npm, pnpm, Yarn and bun work, too. Then{" "}
            <a href="/docs/guides/evaluate-a-model">evaluate a model</a>.
          </p>
        </li>
        <li>
          <h3>Publish your own</h3>
          <Command text={`envs hub login --registry ${origin}`} />
          <p className="small quiet">
            <a href="/docs/guides/write-an-environment">Write an environment</a> in TypeScript, and{" "}
            <a href="/docs/guides/publish-an-environment">publish it</a>.
          </p>
        </li>
      </ol>
    </section>
  );
}
