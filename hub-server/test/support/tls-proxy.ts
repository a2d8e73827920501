// The library of certificates needs it.
import "reflect-metadata";
import { KeyObject, webcrypto } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A proxy with TLS, such as Caddy, in front of replicas. This process trusts its certificate. */
export interface TlsProxy extends AsyncDisposable {
  /** `https://localhost:…` */
  readonly url: string;
  /** The URLs of the replicas. It sends each request to the next one, and skips those that refuse connections. */
  replicas: readonly string[];
}

const maxAttempts = 5;

/** Starts a proxy without replicas. */
export async function tlsProxy(): Promise<TlsProxy> {
  const { key, cert } = await selfSigned();
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, cert]);
  let replicas: readonly string[] = [];
  let next = 0;
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      "x-forwarded-proto": "https",
      "x-forwarded-for": incoming.socket.remoteAddress,
    };
    const send = (attempts: number): void => {
      const url = replicas[(next += 1) % replicas.length];
      if (url === undefined || attempts === 0) return void outgoing.writeHead(502).end();
      const { method } = incoming;
      const target = httpRequest(`${url}${incoming.url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      // A replica that has stopped refuses the connection before it reads the body.
      target.on("error", () => send(attempts - 1));
      target.on("socket", (socket) => {
        if (socket.connecting) socket.once("connect", () => incoming.pipe(target));
        else incoming.pipe(target);
      });
    };
    send(maxAttempts);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    get replicas() {
      return replicas;
    },
    set replicas(urls) {
      replicas = urls;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      setDefaultCACertificates(trusted);
    },
  };
}

/** A certificate of localhost for a day, and its key, as PEM. */
async function selfSigned(): Promise<{ readonly key: string; readonly cert: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const now = new Date().getTime();
  const day = 86_400_000;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=localhost",
    notBefore: new Date(now - day),
    notAfter: new Date(now + day),
    signingAlgorithm: algorithm,
    // The types of Node have more usages than those of browsers.
    keys: keys as CryptoKeyPair,
    extensions: [
      new BasicConstraintsExtension(true),
      new SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }]),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { key: String(key), cert: certificate.toString("pem") };
}
