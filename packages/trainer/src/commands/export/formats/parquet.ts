import { FailureError } from "@envs/cli/kit";
import { fieldValue } from "@envs/cli/kit/runs";
import type { Content, Message, Rollout } from "@envs/core";
import { sidesOf } from "@envs/records";
import { parquetWriteBuffer, type SchemaElement } from "hyparquet-writer";

import type { ExportResult } from "../export-files.ts";
import type { RunSource } from "../run-source.ts";
import type { SftOptions } from "./sft.ts";

/** Small row groups let readers fetch a few rows of a large run. */
const rowGroupSize = 1000;

type Row = ReturnType<typeof rowOf>;

/** The schema of every run, so that files of different environments concatenate. */
const fields: Readonly<Record<keyof Row, readonly SchemaElement[]>> = {
  run: text("run"),
  environment: text("environment"),
  part: text("part"),
  model: text("model"),
  seat: text("seat"),
  example_index: [leaf("example_index", "INT32")],
  example_key: text("example_key"),
  rollout_index: [leaf("rollout_index", "INT32")],
  status: text("status"),
  stop_condition: text("stop_condition"),
  error_code: text("error_code"),
  error_message: text("error_message"),
  reward: [leaf("reward", "DOUBLE")],
  // The layout of a map. `datasets` does not read columns that are declared as one.
  scores: list("scores", [text("key"), [leaf("value", "DOUBLE")]]),
  is_truncated: [leaf("is_truncated", "BOOLEAN")],
  turns: [leaf("turns", "INT32")],
  input_tokens: [leaf("input_tokens", "DOUBLE")],
  output_tokens: [leaf("output_tokens", "DOUBLE")],
  seconds: [leaf("seconds", "DOUBLE")],
  prompt: messages("prompt"),
  completion: messages("completion"),
  example: text("example"),
};

/** Exports all rollouts of a run, failed ones too, with `seats` a row for each seat that a model has played. */
export function parquet(
  { rollouts, clauses, model, name }: RunSource,
  { seats = false }: Pick<SftOptions, "seats"> = {},
): ExportResult<Uint8Array> {
  const rows = (seats ? rollouts.flatMap(sidesOf) : rollouts)
    .filter((rollout) => clauses.every(({ matches }) => matches((key) => fieldValue(rollout, key))))
    .map((rollout) => rowOf(rollout, { run: name, model }));
  if (rows.length === 0) throw new FailureError("No rollout matches, so no file was written.");
  const names = Object.keys(fields) as (keyof Row)[];
  const bytes = parquetWriteBuffer({
    schema: [{ name: "schema", num_children: names.length }, ...Object.values(fields).flat()],
    columnData: names.map((column) => ({ name: column, data: rows.map((row) => row[column]) })),
    rowGroupSize,
  });
  return { files: [{ path: "rollouts.parquet", text: new Uint8Array(bytes) }] };
}

function rowOf(
  rollout: Rollout,
  { run, model }: { readonly run: string | undefined; readonly model: string },
) {
  const { timing, trajectory, usage } = rollout;
  const scored = rollout.status === "scored" ? rollout : undefined;
  const error = rollout.status === "failed" ? rollout.error : undefined;
  return {
    run,
    environment: rollout.environment,
    part: rollout.part,
    model,
    seat: rollout.seat,
    example_index: rollout.exampleIndex,
    example_key: rollout.exampleKey,
    rollout_index: rollout.rolloutIndex,
    status: rollout.status,
    stop_condition: scored?.stopReason,
    error_code: error?.code,
    error_message: error?.message,
    reward: scored?.reward,
    scores: Object.entries(scored?.scores ?? {}).map(([key, value]) => ({ key, value })),
    is_truncated: rollout.isTruncated,
    turns: trajectory.length,
    input_tokens: usage?.inputTokens,
    output_tokens: usage?.outputTokens,
    seconds: (timing.scoring.end - timing.setup.start) / 1000,
    prompt: rollout.prompt.map(messageOf),
    completion: rollout.completion.map(messageOf),
    example: JSON.stringify(rollout.example),
  };
}

function messageOf(message: Message) {
  const reply = message.role === "assistant" ? message : undefined;
  return {
    role: message.role,
    content: partsOf(message.content),
    reasoning_content: reply?.reasoning_content,
    tool_calls: (reply?.tool_calls ?? []).map(({ id, function: call }) => ({
      id,
      name: call.name,
      arguments: call.arguments,
    })),
    tool_call_id: message.role === "tool" ? message.tool_call_id : undefined,
  };
}

/** The parts of a content; text alone is one part. The bytes of audio and files are a `data:` URL, as those of images are. */
function partsOf(content: Content) {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: part.type, text: part.text };
    if (part.type === "image_url") return { type: part.type, url: part.image_url.url };
    if (part.type === "file")
      return { type: part.type, url: part.file.file_data, filename: part.file.filename };
    const { data, format } = part.input_audio;
    return { type: part.type, url: `data:audio/${format};base64,${data}` };
  });
}

function messages(name: string): readonly SchemaElement[] {
  return list(name, [
    text("role"),
    list("content", [text("type"), text("text"), text("url"), text("filename")]),
    text("reasoning_content"),
    list("tool_calls", [text("id"), text("name"), text("arguments")]),
    text("tool_call_id"),
  ]);
}

/** A list of structs. The names of its groups are those of the specification. */
function list(
  name: string,
  children: readonly (readonly SchemaElement[])[],
): readonly SchemaElement[] {
  return [
    { name, num_children: 1, converted_type: "LIST", repetition_type: "OPTIONAL" },
    { name: "list", num_children: 1, repetition_type: "REPEATED" },
    { name: "element", num_children: children.length, repetition_type: "OPTIONAL" },
    ...children.flat(),
  ];
}

function text(name: string): readonly SchemaElement[] {
  return [{ ...leaf(name, "BYTE_ARRAY"), converted_type: "UTF8" }];
}

function leaf(name: string, type: NonNullable<SchemaElement["type"]>): SchemaElement {
  return { name, type, repetition_type: "OPTIONAL" };
}
