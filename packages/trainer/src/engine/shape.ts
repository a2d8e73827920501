/** The size of a decoder-only transformer. */
export interface Shape {
  readonly vocabulary: number;
  /** Numbers that describe a token between layers. */
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Numbers inside a layer's MLP. */
  readonly hidden: number;
  /** The longest sequence, in tokens. */
  readonly context: number;
}

/** One matrix among the parameters: `offset` counts numbers from their start. */
export interface Parameter {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly offset: number;
}

/** Rounds up to a multiple of 8, as the kernels want it. */
export function padded(count: number): number {
  return (count + 7) & ~7;
}

/** Every parameter of a model, in the order in which they lie in memory. */
export function parametersOf(shape: Shape): readonly Parameter[] {
  const { vocabulary, width, layers, hidden } = shape;
  const matrices: [name: string, rows: number, columns: number][] = [
    ["embedding", vocabulary, width],
  ];
  for (let layer = 0; layer < layers; layer += 1)
    matrices.push(
      [`layers.${layer}.qkv`, width, 3 * width],
      [`layers.${layer}.out`, width, width],
      [`layers.${layer}.up`, width, hidden],
      [`layers.${layer}.down`, hidden, width],
    );
  matrices.push(["head", width, padded(vocabulary)]);
  let offset = 0;
  return matrices.map(([name, rows, columns]) => {
    const parameter = { name, rows, columns, offset };
    offset += rows * columns;
    return parameter;
  });
}

/** How many numbers the parameters have. */
export function sizeOf(parameters: readonly Parameter[]): number {
  const last = parameters.at(-1);
  return last === undefined ? 0 : last.offset + last.rows * last.columns;
}
