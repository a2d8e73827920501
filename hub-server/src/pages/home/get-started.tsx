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

/** What to do on a hub that has no environment yet. */
export function FirstSteps({ origin }: { readonly origin: string }): ReactNode {
  return (
    <section className="start">
      <h2>This hub has no environment yet</h2>
      <ol className="steps">
        <li>
          <h3>Create your account</h3>
          <Command text={`envs hub login --registry ${origin}`} />
          <p className="small quiet">
            The administrator opens the link that the hub printed when it started. Others{" "}
            <a href="/register">register</a>, or open their invitation.
          </p>
        </li>
        <li>
          <h3>Publish an environment</h3>
          <Command text={`envs publish --registry ${origin}`} />
          <p className="small quiet">
            <a href="/docs/guides/write-an-environment">Write one</a> in TypeScript, and{" "}
            <a href="/docs/guides/publish-an-environment">publish it</a> from its folder.
          </p>
        </li>
        <li>
          <h3>Share an evaluation</h3>
          <Command text={`envs eval <environment> -m policy:random --push --registry ${origin}`} />
          <p className="small quiet">
            It begins the environment&apos;s leaderboard. Then{" "}
            <a href="/docs/guides/evaluate-a-model">evaluate a model</a>.
          </p>
        </li>
      </ol>
    </section>
  );
}
