/** Costs by name: processor time as a multiple of its reference, or memory in MiB. */
export type Costs = Readonly<Record<string, number>>;

/** Growth that fails. It is less than a third, so that a cost that grew by a third fails even where it is measured too low. */
const tolerance = 1.3;

/** Describes the costs that are above their budget or lack one, and budgets that were not measured. */
export function excesses(costs: Costs, budgets: Costs): readonly string[] {
  const names = new Set([...Object.keys(costs), ...Object.keys(budgets)]);
  return [...names].flatMap((name) => {
    const [cost, budget] = [costs[name], budgets[name]];
    if (cost === undefined) return [`${name}: not measured`];
    if (budget === undefined) return [`${name}: ${cost}, without a budget`];
    if (cost <= budget * tolerance) return [];
    return [`${name}: ${cost}, ${(cost / budget).toFixed(2)} × its budget of ${budget}`];
  });
}

/** The smaller of two measurements of each cost: other programs only add to it. */
export function least(first: Costs, second: Costs): Costs {
  const names = Object.keys({ ...first, ...second });
  return Object.fromEntries(
    names.map((name) => [name, Math.min(first[name] ?? Infinity, second[name] ?? Infinity)]),
  );
}
