import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { bundleToJSON } from "@sigstore/bundle";
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  rekorHandler,
} from "@sigstore/mock";
import { HashAlgorithm, PublicKeyDetails, TrustedRoot } from "@sigstore/protobuf-specs";
import { DSSEBundleBuilder, FulcioSigner, RekorWitness } from "@sigstore/sign";
import { UnsecuredJWT } from "jose";

/** A build of a repository, and the statement that it signs. */
export interface Build {
  readonly repository: string;
  readonly statement: unknown;
  readonly type?: string;
}

/** A certificate authority and two transparency logs on loopback. */
export interface Sigstore extends AsyncDisposable {
  /** Writes the trusted root for a hub, and resolves to its path. */
  readonly trustedRoot: (folder: string) => Promise<string>;
  /** A bundle as npm creates it in GitHub Actions. */
  readonly sign: (build: Build) => Promise<unknown>;
}

export async function startSigstore(): Promise<Sigstore> {
  const [caKeys, ctKeys, logKeys] = [keyPair(), keyPair(), keyPair()];
  const ctLog = await initializeCTLog(ctKeys);
  const ca = await initializeCA(caKeys, ctLog);
  const log = await initializeTLog("https://rekor.example.com", logKeys);
  const handlers = [fulcioHandler(ca), rekorHandler(log)];
  const server = createServer((request, response) => {
    void (async () => {
      const handler = handlers.find(({ path }) => path === request.url);
      const reply = await handler?.fn(await text(request));
      response.writeHead(reply?.statusCode ?? 404, { "content-type": "application/json" });
      response.end(reply?.response);
    })();
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;

  const root: TrustedRoot = {
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    certificateAuthorities: [
      {
        subject: { commonName: "sigstore", organization: "sigstore.mock" },
        uri: url,
        certChain: { certificates: [{ rawBytes: bytesOf(ca.rootCertificate) }] },
        validFor: { start: new Date(0) },
        operator: "",
      },
    ],
    tlogs: [authority(log.publicKey)],
    ctlogs: [authority(ctLog.publicKey)],
    timestampAuthorities: [],
  };

  return {
    async trustedRoot(folder) {
      const path = join(folder, "trusted_root.json");
      await writeFile(path, JSON.stringify(TrustedRoot.toJSON(root)));
      return path;
    },
    async sign({ repository, statement, type = "application/vnd.in-toto+json" }) {
      const claims = {
        iss: "https://token.actions.githubusercontent.com",
        sub: `https://github.com/${repository}/.github/workflows/release.yml@refs/heads/main`,
        repository,
      };
      const token = new UnsecuredJWT(claims).encode();
      const signer = new FulcioSigner({
        fulcioBaseURL: url,
        identityProvider: { getToken: () => Promise.resolve(token) },
      });
      // The mock log stores entries unchanged, but a real log rewrites entries of the kind "dsse".
      const witnesses = [new RekorWitness({ rekorBaseURL: url, entryType: "intoto" })];
      const builder = new DSSEBundleBuilder({ signer, witnesses });
      const data = Buffer.from(JSON.stringify(statement));
      return bundleToJSON(await builder.create({ data, type }));
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function keyPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function authority(publicKey: Buffer) {
  return {
    baseUrl: "https://rekor.example.com",
    hashAlgorithm: HashAlgorithm.SHA2_256,
    logId: { keyId: createHash("sha256").update(publicKey).digest() },
    publicKey: {
      rawBytes: publicKey,
      keyDetails: PublicKeyDetails.PKIX_ECDSA_P256_SHA_256,
      validFor: { start: new Date(0) },
    },
    checkpointKeyId: undefined,
    operator: "",
  };
}

function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
