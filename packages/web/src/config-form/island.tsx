import { type ReactNode, useEffect, useState } from "react";

import { defineIsland } from "../island/define-island.ts";
import { OptionField } from "./field.tsx";
import { type ConfigField, evalCommand } from "./fields.ts";
import { enteredConfig, type FormState, modelParameter, stateParameters } from "./form-state.ts";

export { configFlag, evalCommand, shellArgument } from "./fields.ts";
export { type ConfigField, configFields } from "./fields.ts";
export { InlineCode } from "./field.tsx";
export { enteredConfig, type FormState, readState } from "./form-state.ts";

export interface ConfigFormProps {
  /** The package's name. */
  readonly environment: string;
  /** The absolute URL of the page without parameters. */
  readonly url: string;
  readonly fields: readonly ConfigField[];
  readonly initial: FormState;
  readonly defaultModel: string;
  /** Models that need no server, such as `policy:optimal`. */
  readonly models: readonly string[];
}

const anchor = "#try";

/** A form for an environment's config. It builds the command of an evaluation; the page's address contains its state. */
export const configFormIsland = defineIsland("config-form", ConfigForm);

function ConfigForm({
  environment,
  url,
  fields,
  initial,
  defaultModel,
  models,
}: ConfigFormProps): ReactNode {
  const [state, setState] = useState(initial);
  const { config, problems } = enteredConfig(fields, state);
  const command = evalCommand({ environment, model: state.model, config });
  const parameters = stateParameters(fields, state, defaultModel);
  const link = parameters === "" ? url : `${url}?${parameters}${anchor}`;
  useEffect(() => {
    if (state !== initial)
      history.replaceState(null, "", new URL(link).href.slice(new URL(link).origin.length));
  }, [state, initial, link]);
  const setValue = (name: string, value: string): void =>
    setState((current) => ({ ...current, values: { ...current.values, [name]: value } }));
  return (
    <form method="get" action={`${new URL(url).pathname}${anchor}`} className="config-form">
      <div className="options">
        <div className="option">
          <label htmlFor="config-model">Model</label>
          <input
            id="config-model"
            name={modelParameter}
            list="config-models"
            value={state.model}
            placeholder="a model's name"
            spellCheck={false}
            aria-describedby="config-model-hint"
            onChange={({ target }) => setState((current) => ({ ...current, model: target.value }))}
          />
          <datalist id="config-models">
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
          <p className="hint" id="config-model-hint">
            A policy of the environment, a tiny model, or a model at <code>--base-url</code>
          </p>
        </div>
        {fields.map((field) => (
          <OptionField
            key={field.name}
            field={field}
            value={state.values[field.name] ?? ""}
            problem={problems[field.name]}
            onChange={(value) => setValue(field.name, value)}
          />
        ))}
      </div>
      <button className="second small unscripted">Build the command</button>
      <p className="label">Command</p>
      <div className="command">
        <code data-testid="command">{command}</code>
        <button type="button" className="second small" data-copy={command}>
          Copy
        </button>
      </div>
      <p className="label">Link to this configuration</p>
      <div className="command">
        <code data-testid="link">{link}</code>
        <button type="button" className="second small" data-copy={link}>
          Copy
        </button>
      </div>
    </form>
  );
}
