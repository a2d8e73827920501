import type { LabelledChoice } from "@envs/core/engine";
import { type ReactNode, useState } from "react";

/** The maximum number of buttons. A longer list is searched by typing. */
const maxButtons = 60;

/** The legal replies as buttons; if there are many, a list to search. */
export function ChoiceList({
  choices,
  isActive,
  onChoose,
}: {
  readonly choices: readonly LabelledChoice[];
  readonly isActive: boolean;
  readonly onChoose: (choice: LabelledChoice) => void;
}): ReactNode {
  const [typed, setTyped] = useState("");
  if (choices.length === 0) return null;
  const matching =
    choices.length <= maxButtons
      ? choices
      : choices.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
  return (
    <div className="choices" role="group" aria-label="Legal replies">
      {choices.length > maxButtons && (
        <div className="field">
          <label htmlFor="choice-filter">Find one of {choices.length} replies</label>
          <input
            id="choice-filter"
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      <div className="buttons">
        {matching.slice(0, maxButtons).map((choice) => (
          <button
            key={choice.reply}
            type="button"
            className="second small"
            aria-disabled={!isActive}
            onClick={() => {
              if (isActive) onChoose(choice);
            }}
          >
            {choice.label}
          </button>
        ))}
      </div>
    </div>
  );
}
