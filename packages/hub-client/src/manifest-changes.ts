import type { EnvironmentManifest } from "./manifest.ts";
import { subModelBudgetText } from "./sub-model-budget.ts";

/** A difference between the manifests of two versions that users notice. */
export interface ManifestChange {
  readonly subject: "option" | "score" | "tool" | "split" | "environment";
  /** The name of the option, score, tool or split; for `environment`, of the manifest's field. */
  readonly name: string;
  /** `narrowed`: values that were valid are not any longer. `widened`: the opposite. */
  readonly kind: "added" | "removed" | "narrowed" | "widened" | "changed";
  /** The old and the new value, such as `weight 1 → 0.5`. Empty for an addition or a removal. */
  readonly detail: string;
}

/** The fields of a manifest that the comparison reads. */
export type ComparedManifest = Pick<
  EnvironmentManifest,
  "config" | "scores" | "tools" | "splits" | "kind" | "maxTurns" | "requires" | "subModel" | "core"
>;

type Field = Readonly<Record<string, unknown>>;
type Named = ReadonlyMap<string, Field>;
type Comparison = (
  before: Field,
  after: Field,
) => readonly Omit<ManifestChange, "subject" | "name">[];

/** Lists the changes of an environment's config, scores, tools and splits from one version to another. */
export function manifestChanges(
  before: ComparedManifest,
  after: ComparedManifest,
): readonly ManifestChange[] {
  return [
    ...changesOf("environment", fieldsOf(before), fieldsOf(after), compareValue),
    ...changesOf("option", optionsOf(before), optionsOf(after), compareOption),
    ...changesOf("score", byName(before.scores), byName(after.scores), compareScore),
    ...changesOf("tool", byName(before.tools), byName(after.tools), compareTool),
    ...changesOf("split", byName(before.splits), byName(after.splits), compareSplit),
  ];
}

function changesOf(
  subject: ManifestChange["subject"],
  before: Named,
  after: Named,
  compare: Comparison,
): ManifestChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): ManifestChange[] => {
    const [old, new_] = [before.get(name), after.get(name)];
    if (old === undefined) return [{ subject, name, kind: "added", detail: "" }];
    if (new_ === undefined) return [{ subject, name, kind: "removed", detail: "" }];
    return compare(old, new_).map(({ kind, detail }) => ({ subject, name, kind, detail }));
  });
}

function fieldsOf({ kind, maxTurns, requires, subModel, core }: ComparedManifest): Named {
  const required = requires?.map(({ name }) => name).join(", ");
  const budget = subModel && subModelBudgetText(subModel);
  const fields = { kind, maxTurns, requires: required, subModel: budget, core };
  return new Map(Object.entries(fields).map(([name, value]) => [name, { value }]));
}

function optionsOf({ config }: ComparedManifest): Named {
  const { properties, required } = config;
  const names = Array.isArray(required) ? required : [];
  return new Map(
    Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => [
      name,
      { ...(isObject(schema) && schema), isRequired: names.includes(name) },
    ]),
  );
}

function byName(entries: readonly { readonly name: string | null }[]): Named {
  return new Map(entries.map((entry) => [entry.name ?? "all", entry as Field]));
}

const compareValue: Comparison = (before, after) =>
  changed(before, after, "value").map(({ kind, detail }) => ({
    kind,
    detail: detail.replace(/^value /, ""),
  }));

const compareOption: Comparison = (before, after) => [
  ...bound(before, after, "minimum"),
  ...bound(before, after, "maximum"),
  ...choices(before, after),
  ...becameRequired(before, after),
  ...changed(before, after, "type"),
  ...changed(before, after, "default"),
  ...otherFields(before, after),
];

const compareScore: Comparison = (before, after) => [
  ...changed(before, after, "weight"),
  ...changed(before, after, "range"),
  ...changed(before, after, "isGroup"),
  ...changed(before, after, "needs"),
  ...sameText(before, after, "judge"),
];

const compareTool: Comparison = (before, after) => [
  ...sameText(before, after, "description"),
  ...(isEqual(before["input"], after["input"])
    ? []
    : [{ kind: "changed" as const, detail: "input schema" }]),
];

const compareSplit: Comparison = (before, after) => changed(before, after, "size");

function changed(before: Field, after: Field, field: string) {
  if (isEqual(before[field], after[field])) return [];
  const detail = `${field} ${valueText(before[field])} → ${valueText(after[field])}`;
  return [{ kind: "changed" as const, detail }];
}

/** Texts may be long, so that the change has only the field's name. */
function sameText(before: Field, after: Field, field: string) {
  return isEqual(before[field], after[field]) ? [] : [{ kind: "changed" as const, detail: field }];
}

function bound(before: Field, after: Field, field: "minimum" | "maximum") {
  const [old, new_] = [limitOf(before[field]), limitOf(after[field])];
  if (old === new_) return [];
  const none = field === "minimum" ? -Infinity : Infinity;
  const [from, to] = [old ?? none, new_ ?? none];
  const isNarrower = field === "minimum" ? to > from : to < from;
  const detail = `${field} ${valueText(old)} → ${valueText(new_)}`;
  return [{ kind: isNarrower ? ("narrowed" as const) : ("widened" as const), detail }];
}

/** Omits the bounds that Zod adds to every integer. */
function limitOf(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function choices(before: Field, after: Field) {
  const [old, new_] = [before["enum"], after["enum"]];
  if (!Array.isArray(old) || !Array.isArray(new_)) return changed(before, after, "enum");
  const removed = old.filter((value) => !new_.some((other) => isEqual(value, other)));
  const added = new_.filter((value) => !old.some((other) => isEqual(value, other)));
  const list = (values: readonly unknown[]): string => values.map(valueText).join(", ");
  return [
    ...(removed.length === 0
      ? []
      : [{ kind: "narrowed" as const, detail: `without ${list(removed)}` }]),
    ...(added.length === 0 ? [] : [{ kind: "widened" as const, detail: `also ${list(added)}` }]),
  ];
}

function becameRequired(before: Field, after: Field) {
  if (before["isRequired"] === after["isRequired"]) return [];
  return after["isRequired"] === true
    ? [{ kind: "narrowed" as const, detail: "required" }]
    : [{ kind: "widened" as const, detail: "no longer required" }];
}

const comparedFields = new Set([
  "minimum",
  "maximum",
  "enum",
  "isRequired",
  "type",
  "default",
  "description",
  "title",
]);

/** Nested schemas, patterns, lengths: which values they allow is not compared. */
function otherFields(before: Field, after: Field) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !comparedFields.has(name) && !isEqual(before[name], after[name]),
  );
  return names.length === 0 ? [] : [{ kind: "changed" as const, detail: names.join(", ") }];
}

const maxValueLength = 60;

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength - 1)}…`;
}

/** Compares JSON. The order of properties does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value, index) => isEqual(value, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}

function isObject(value: unknown): value is Field {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
