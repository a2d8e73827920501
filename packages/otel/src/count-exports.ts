/** The result that an exporter passes to its caller: 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Item> {
  export(items: Item[], done: (result: ExportResult) => void): void;
}

/** Counts what an exporter has sent. Its errors are reported only at the end of a run. */
export function countExports<Item, E extends Exporter<Item>>(
  exporter: E & Exporter<Item>,
  counts: { exported: number; failed: number; problem: string | undefined },
): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code === 0) counts.exported += items.length;
      else {
        counts.failed += items.length;
        counts.problem ??= result.error?.message ?? "The collector rejected the data.";
      }
      done(result);
    });
  return exporter;
}
