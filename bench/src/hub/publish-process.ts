import { publish } from "./package.ts";
import type { PublishLoad, PublishTimes } from "./publish-load.ts";

process.on("message", ({ url, token, documents, connections }: PublishLoad) => {
  const queue = documents.values();
  const each: number[] = [];
  const client = async (): Promise<void> => {
    for (const document of queue) {
      const start = performance.now();
      await publish(url, token, document);
      each.push(performance.now() - start);
    }
  };
  const start = performance.now();
  Promise.all(Array.from({ length: connections }, client)).then(
    () => process.send?.({ each, total: performance.now() - start } satisfies PublishTimes),
    (error: unknown) => process.send?.({ problem: String(error) }),
  );
});
