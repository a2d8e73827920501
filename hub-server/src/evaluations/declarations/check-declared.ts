import { canonicalJson, type RolloutFacts } from "@envs/core/engine";
import { declaredDetails, type RunDeclaration, type RunUpload } from "@envs/hub-client";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { chosenPositions, needsDataset, selectedPositions, sizeOf } from "./sample.ts";

/** Rejects an upload whose declaration is closed, or has another recipe. */
export async function requireDeclared(
  database: Database,
  { userId }: Identity,
  upload: RunUpload,
  now: Date,
): Promise<void> {
  if (upload.declaration === null) return;
  const declaration = await database
    .selectFrom("declarations")
    .where("id", "=", upload.declaration)
    .where("owner_id", "=", userId)
    .selectAll()
    .executeTakeFirst();
  if (declaration === undefined) throw closed(upload.declaration, "is not one of yours");
  requireOpen(declaration);
  if (declaration.expires_at < now)
    throw closed(declaration.id, `expired on ${declaration.expires_at.toISOString()}`);
  if (upload.kind !== "evaluation") throw mismatch("a training cannot be declared");
  if (upload.seed !== declaration.seed)
    throw mismatch(`its seed is ${upload.seed}, but the hub chose ${declaration.seed}`);
  requireSameRecipe(upload, declaration.recipe);
}

/** Rejects a second run of a declaration. */
export function requireOpen({ id, completed_at }: Row<"declarations">): void {
  if (completed_at !== null) throw closed(id, `was used by a run on ${completed_at.toISOString()}`);
}

function requireSameRecipe(
  upload: RunUpload,
  {
    examples: _examples,
    size: _size,
    rolloutsPerExample: _rollouts,
    details,
    ...declared
  }: RunDeclaration,
): void {
  const pairs = [
    ...Object.entries(declared).map(
      ([name, value]) => [name, value, upload[name as "model"]] as const,
    ),
    // A run must not have a detail that its declaration lacks.
    ...[...new Set([...Object.keys(details), ...declaredDetails])].map(
      (name) => [name, details[name] ?? null, upload.details[name]] as const,
    ),
  ];
  for (const [name, before, after] of pairs)
    if (canonicalJson(before) !== canonicalJson(after ?? null))
      throw mismatch(
        `its ${name} is ${JSON.stringify(after)}, but ${JSON.stringify(before)} was declared`,
      );
}

/** Requires each rollout of each chosen example exactly once. Repeated rollouts do not reach this check. */
export async function requireComplete(
  { recipe, seed }: Pick<Row<"declarations">, "recipe" | "seed">,
  facts: readonly RolloutFacts[],
): Promise<void> {
  const { rolloutsPerExample, details } = recipe;
  const groups = Map.groupBy(facts, ({ exampleIndex }) => exampleIndex);
  for (const [index, group] of groups) {
    if (group.length !== rolloutsPerExample)
      throw mismatch(
        `the example at position ${index} has ${group.length} rollouts, but ${rolloutsPerExample} were declared`,
      );
    const beyond = group.find(({ rolloutIndex }) => rolloutIndex >= rolloutsPerExample);
    if (beyond !== undefined)
      throw mismatch(
        `the example at position ${index} has a rollout ${beyond.rolloutIndex}, but the last one is ${rolloutsPerExample - 1}`,
      );
  }
  if (groups.size !== sizeOf(recipe))
    throw mismatch(`it has ${groups.size} examples, but ${sizeOf(recipe)} were declared`);
  // A replay checks them.
  if (needsDataset(details["select"])) return;
  const selected = selectedPositions(details["select"]);
  const chosen = await chosenPositions(recipe, seed, selected);
  const other = [...groups.keys()].find((index) => !chosen.has(index));
  if (other !== undefined)
    throw mismatch(`it has the example at position ${other}, which the seed does not choose`);
}

function closed(id: string, problem: string): HubError {
  return new HubError("declaration-closed", {
    message: `The declaration ${id} ${problem}. Evaluate again with --push, or push the run without a rank: envs run push --undeclared`,
  });
}

function mismatch(problem: string): HubError {
  return new HubError("declaration-mismatch", {
    message: `The run is not the declared one: ${problem}. Push exactly the declared run, or push it without a rank: envs run push --undeclared`,
  });
}
