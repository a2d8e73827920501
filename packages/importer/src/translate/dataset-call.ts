import { constantText } from "../python/strings.ts";
import type { Expression } from "../python/syntax.ts";
import { argumentsOf } from "./call-arguments.ts";
import { translate } from "./expression.ts";
import { type Code, type Scope, Untranslatable } from "./scope.ts";

type Call = Expression & { kind: "call" };

/** Translates functions of the package `datasets`; `undefined` for others. */
export function datasetCall(scope: Scope, path: string, call: Call): Code | undefined {
  if (!path.startsWith("datasets.")) return undefined;
  const name = path.replace(/^datasets\./, "");
  const { positional, named, code } = argumentsOf(scope, call);
  const made = (text: string): Code => ({ code: text, type: "dataset" });
  switch (name) {
    case "load_dataset": {
      const source = positional[0] ?? named("path");
      const format = constantText(source) ?? "";
      const files = named("data_files");
      if (/^(?:json|parquet)$/.test(format) && files !== undefined) {
        const split = code(named("split"));
        const last = split === undefined ? "" : `, ${split}`;
        return made(`${scope.use("loadFiles")}("${format}", ${code(files)}${last})`);
      }
      if (["json", "csv", "parquet", "text"].includes(format))
        throw new Untranslatable(
          `reads ${format} files: use jsonl, csv or parquet of @envs/data`,
          call,
        );
      if (call.args.some(({ star }) => star !== ""))
        throw new Untranslatable("options of load_dataset that are not constant", call);
      if (named("data_files") !== undefined || named("data_dir") !== undefined)
        throw new Untranslatable("data_files of load_dataset", call);
      const fields = [
        ["config", code(positional[1] ?? named("name"))],
        ["split", code(named("split"))],
        ["revision", code(named("revision"))],
      ].flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]));
      const options = fields.length === 0 ? "" : `, { ${fields.join(", ")} }`;
      return made(`${scope.use("loadDataset")}(${code(source)}${options})`);
    }
    case "Dataset.from_list":
    case "Dataset.from_generator":
      return made(`${scope.use("Dataset")}.from(${code(positional[0] ?? call.args[0]?.value)})`);
    case "Dataset.from_json":
    case "Dataset.from_parquet": {
      const format = name === "Dataset.from_json" ? "json" : "parquet";
      const files = code(positional[0] ?? named("path_or_paths"));
      return made(`${scope.use("loadFiles")}("${format}", ${files}, "train")`);
    }
    case "Dataset.from_dict":
      return made(`${scope.use("Dataset")}.fromColumns(${code(positional[0])})`);
    case "concatenate_datasets":
      return made(`${scope.use("Dataset")}.concatenate(${code(positional[0])})`);
    default:
      return undefined;
  }
}

const ignored: ReadonlySet<string> = new Set([
  "cast_column",
  "cast",
  "with_format",
  "set_format",
  "flatten_indices",
  "to_iterable_dataset",
]);

/** Translates a method of a dataset. Throws for those that `Dataset` lacks. */
export function datasetMethod(scope: Scope, receiver: string, name: string, call: Call): Code {
  const { positional, named, code } = argumentsOf(scope, call);
  const made = (text: string): Code => ({ code: `${receiver}.${text}`, type: "dataset" });
  const first = positional[0] ?? named("function");
  switch (name) {
    case "map": {
      if (
        named("batched") !== undefined ||
        named("fn_kwargs") !== undefined ||
        named("with_indices") !== undefined
      )
        throw new Untranslatable("batched, fn_kwargs or with_indices of map()", call);
      const columns = named("remove_columns");
      if (columns === undefined) return made(`map(${code(first)})`);
      const isAll = columns.kind === "attribute" && columns.name === "column_names";
      return made(`map(${code(first)}, ${isAll ? '"all"' : code(columns)})`);
    }
    case "filter":
      return made(`filter((row: any) => py.truthy(${code(first)}(row)))`);
    case "select":
      return made(selected(scope, first!));
    case "take":
      return made(`slice(0, ${code(first)})`);
    case "skip":
      return made(`slice(${code(first)})`);
    case "shuffle": {
      const seed = code(named("seed") ?? positional[0]);
      return made(`shuffle(${seed ?? ""})`);
    }
    case "rename_column":
      return made(`renameColumn(${positional.map((value) => code(value)).join(", ")})`);
    case "remove_columns":
    case "select_columns":
      return made(
        `${name === "remove_columns" ? "removeColumns" : "selectColumns"}(${code(positional[0] ?? named("column_names"))})`,
      );
    case "to_list":
      scope.usesAwait = true;
      return { code: `(await ${receiver}.toArray())`, type: "array" };
    default:
      if (ignored.has(name)) return { code: receiver, type: "dataset" };
      throw new Untranslatable(`the method ${name} of a dataset`, call);
  }
}

function selected(scope: Scope, indices: Expression): string {
  const code = (value: Expression) => translate(scope, value).code;
  if (indices.kind !== "call" || indices.callee.kind !== "name" || indices.callee.name !== "range")
    return `select(${code(indices)})`;
  const bounds = indices.args.map(({ value }) => {
    // The rows are not counted: a dataset that is shorter ends.
    if (value.kind === "call" && value.callee.kind === "name" && value.callee.name === "min") {
      const other = value.args.find(
        (argument) =>
          !(
            argument.value.kind === "call" &&
            argument.value.callee.kind === "name" &&
            argument.value.callee.name === "len"
          ),
      );
      if (other !== undefined && value.args.length === 2) return code(other.value);
    }
    return code(value);
  });
  return bounds.length === 1 ? `slice(0, ${bounds[0]})` : `slice(${bounds.slice(0, 2).join(", ")})`;
}
