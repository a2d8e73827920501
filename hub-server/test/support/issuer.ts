import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** A CI service on loopback that signs ID tokens for its builds. */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly keys: string;
  readonly sign: (claims: JWTPayload, options?: SignOptions) => Promise<string>;
}

interface SignOptions {
  readonly at?: Date;
  readonly seconds?: number;
  /** Signs with a key that is not published. */
  readonly isForged?: boolean;
}

export async function startIssuer(): Promise<Issuer> {
  const [real, forged] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwk = { ...(await exportJWK(real.publicKey)), kid: "1", alg: "RS256", use: "sig" };
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    keys: `${url}/jwks`,
    async sign(claims, { at = new Date(), seconds = 300, isForged = false } = {}) {
      const now = Math.floor(at.getTime() / 1000);
      return await new SignJWT({ iss: url, ...claims })
        .setProtectedHeader({ alg: "RS256", kid: "1" })
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign((isForged ? forged : real).privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
