import type { AssistantMessage } from "@envs/core";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

import { fieldValue, schemaFields } from "./schema-field.ts";
import { SchemaFields } from "./schema-fields.tsx";
import type { ToolSpec } from "./session.ts";

/** The form in which a person writes a reply, or calls a tool. */
export function Composer({
  label,
  tools,
  isActive,
  onSend,
}: {
  readonly label: string;
  readonly tools: readonly ToolSpec[];
  readonly isActive: boolean;
  readonly onSend: (reply: string | AssistantMessage) => void;
}): ReactNode {
  const [toolName, setToolName] = useState("");
  const id = useId();
  const tool = tools.find(({ name }) => name === toolName);
  return (
    <div className="composer">
      {tools.length > 0 && (
        <fieldset className="composer-tools">
          <legend>Reply with</legend>
          {["", ...tools.map(({ name }) => name)].map((name) => (
            <label key={name} className="composer-tool">
              <input
                type="radio"
                name={`${id}-tool`}
                checked={name === toolName}
                onChange={() => setToolName(name)}
              />
              {name === "" ? "text" : name}
            </label>
          ))}
        </fieldset>
      )}
      {tool === undefined ? (
        <TextForm {...{ label, isActive, onSend }} />
      ) : (
        <ToolForm key={tool.name} {...{ tool, isActive, onSend }} />
      )}
    </div>
  );
}

function TextForm({
  label,
  isActive,
  onSend,
}: {
  readonly label: string;
  readonly isActive: boolean;
  readonly onSend: (reply: string) => void;
}): ReactNode {
  const [text, setText] = useState("");
  const id = useId();
  const send = (): void => {
    if (!isActive || text.trim() === "") return;
    onSend(text);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        value={text}
        aria-describedby={`${id}-hint`}
        onKeyDown={onKeyDown}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="composer-send">
        <button className="small" aria-disabled={!isActive}>
          Send
        </button>
        <span className="hint" id={`${id}-hint`}>
          Enter sends, Shift+Enter starts a new line
        </span>
      </div>
    </form>
  );
}

function ToolForm({
  tool,
  isActive,
  onSend,
}: {
  readonly tool: ToolSpec;
  readonly isActive: boolean;
  readonly onSend: (reply: AssistantMessage) => void;
}): ReactNode {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const fields = schemaFields(tool.parameters);
  const send = (): void => {
    if (!isActive) return;
    try {
      const input = Object.fromEntries(
        fields.flatMap((field) => {
          const value = fieldValue(field, values[field.name] ?? "");
          return value === undefined ? [] : [[field.name, value]];
        }),
      );
      setProblem(undefined);
      onSend(toolCall(tool.name, input));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <p className="hint">{tool.description}</p>
      <SchemaFields fields={fields} values={values} onChange={setValues} />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <button className="small" aria-disabled={!isActive}>
        Call {tool.name}
      </button>
    </form>
  );
}

function toolCall(name: string, input: Readonly<Record<string, unknown>>): AssistantMessage {
  const call = { name, arguments: JSON.stringify(input) };
  return {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", type: "function", function: call }],
  };
}
