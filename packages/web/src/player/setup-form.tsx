import { type ReactNode, useId, useState } from "react";

import { modelsTurn, needsPlayer, type PlaySetup, rolesOf, watching } from "./game-state.ts";
import { fieldValue, type SchemaField, schemaFields } from "./schema-field.ts";
import { SchemaFields } from "./schema-fields.tsx";
import type { PlayerProps } from "./session.ts";

type SetupFormProps = {
  readonly props: PlayerProps;
  readonly setup: PlaySetup;
  readonly hasStarted: boolean;
  readonly isReady: boolean;
  readonly onStart: (setup: PlaySetup) => void;
};

/** The form that chooses the seat, the example, the seed and the config. */
export function SetupForm({
  props,
  setup,
  hasStarted,
  isReady,
  onStart,
}: SetupFormProps): ReactNode {
  const [draft, setDraft] = useState(setup);
  const [values, setValues] = useState(() => textsOf(setup.config));
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const fields = schemaFields(props.config);
  const players = playersOf(props);
  const change = (part: Partial<PlaySetup>): void => setDraft({ ...draft, ...part });
  const start = (): void => {
    try {
      const config = readConfig(fields, values);
      setProblem(undefined);
      onStart({ ...draft, config });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const size = props.splits.find(({ name }) => (name ?? undefined) === draft.split)?.size ?? null;
  return (
    <form
      className="play-setup"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      {(players.length > 0 || props.seats.length > 0) && (
        <Seats {...{ props, draft, change, players }} />
      )}
      <div className="play-row">
        {props.splits.length > 1 && (
          <div className="field">
            <label htmlFor={`${id}-split`}>Split</label>
            <select
              id={`${id}-split`}
              value={draft.split}
              onChange={({ target }) => change({ split: target.value, example: 0 })}
            >
              {props.splits.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
        )}
        <NumberField
          label="Example"
          value={draft.example}
          max={size === null ? undefined : size - 1}
          onChange={(example) => change({ example })}
        />
        <NumberField label="Seed" value={draft.seed} onChange={(seed) => change({ seed })} />
      </div>
      {fields.length > 0 && (
        <details className="play-config">
          <summary>Options</summary>
          <SchemaFields fields={fields} values={values} onChange={setValues} />
        </details>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <button disabled={!isReady}>{hasStarted ? "Start again" : "Start"}</button>
    </form>
  );
}

function Seats({
  props,
  draft,
  change,
  players,
}: {
  readonly props: PlayerProps;
  readonly draft: PlaySetup;
  readonly change: (part: Partial<PlaySetup>) => void;
  readonly players: readonly string[];
}): ReactNode {
  const id = useId();
  const { seats } = props;
  const chosen = seats.find(({ name }) => name === draft.role);
  return (
    <fieldset className="play-seats">
      <legend>You play</legend>
      {rolesOf(seats).map((role) => (
        <label key={role}>
          <input
            type="radio"
            name={`${id}-role`}
            checked={draft.role === role}
            onChange={() => change({ role })}
          />
          {labels[role] ?? `Seat ${role}`}
        </label>
      ))}
      {chosen?.description !== undefined && <p className="hint">{chosen.description}</p>}
      {needsPlayer(draft.role, seats) && (
        <div className="field">
          <label htmlFor={`${id}-player`}>Player of the other side</label>
          <select
            id={`${id}-player`}
            value={draft.player}
            onChange={({ target }) => change({ player: target.value })}
          >
            {players.map((player) => (
              <option key={player}>{player}</option>
            ))}
          </select>
        </div>
      )}
    </fieldset>
  );
}

const labels: Readonly<Record<string, string>> = {
  [modelsTurn]: "The model’s turn",
  [watching]: "Nothing: watch",
};

function NumberField({
  label,
  value,
  max,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly max?: number | undefined;
  readonly onChange: (value: number) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={0}
        max={max}
        step={1}
        required
        value={value}
        onChange={({ target }) => onChange(target.valueAsNumber || 0)}
      />
    </div>
  );
}

/** The models and policies that can take the model's turn. */
export function playersOf({ models, policies, source }: PlayerProps): readonly string[] {
  const named = models.map(({ name }) => `tiny:${name}`);
  return source.kind === "server"
    ? named
    : [...named, ...policies.map((policy) => `policy:${policy}`)];
}

function textsOf(config: PlaySetup["config"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

/** The options that differ from their defaults. */
function readConfig(
  fields: readonly SchemaField[],
  values: Readonly<Record<string, string>>,
): PlaySetup["config"] {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = fieldValue(field, values[field.name] ?? "");
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}
