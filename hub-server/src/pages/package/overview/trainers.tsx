import type { EnvironmentManifest } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Command } from "../../layout/elements.tsx";
import { type Trainer, trainersOf, trainingFacts } from "./trainer-list.ts";

/** The trainers that can use the environment, with the commands for each. */
export function Trainers({ manifest }: { readonly manifest: EnvironmentManifest }): ReactNode {
  const trainers = trainersOf(manifest);
  return (
    <section className="section">
      <h2 id="train">Train on it</h2>
      <p className="quiet">{trainingFacts(manifest).join(" ")}</p>
      <div className="trainers">
        {trainers.map((trainer, index) => (
          <TrainerCommands key={trainer.name} trainer={trainer} isOpen={index === 0} />
        ))}
      </div>
    </section>
  );
}

function TrainerCommands({
  trainer: { name, through, guide, commands, note },
  isOpen,
}: {
  readonly trainer: Trainer;
  readonly isOpen: boolean;
}): ReactNode {
  const isUsable = commands.length > 0;
  return (
    <details className="trainer" name="trainer" open={isOpen}>
      <summary>
        <span className="trainer-name">{name}</span>
        <span className={isUsable ? "tag good" : "tag"}>{isUsable ? "yes" : "no"}</span>
        <span className="quiet small">through {through}</span>
      </summary>
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
      <p className="quiet small">
        {note} <a href={guide}>Read the guide</a>.
      </p>
    </details>
  );
}
