import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

import type { Dial } from "../src/index.ts";

/** An internet with one host, `allowed.example`, whose server answers on each port. */
export async function internet(): Promise<{ readonly dial: Dial } & Disposable> {
  const server = createServer((_, response) => response.end("welcome"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dial: Dial = (name) => {
    if (name !== "allowed.example") throw new Error(`The machine asked for ${name}.`);
    return connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { dial, [Symbol.dispose]: close };
}
