import { expect, test } from "vitest";

import { provenanceOf } from "../src/packages/attestations/provenance.ts";
import { startSigstore } from "./support/sigstore.ts";

const slsa = "https://slsa.dev/provenance/v1";

/** The statement of npm's clients in GitHub Actions. */
const statement = (repository: string) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: [],
  predicateType: slsa,
  predicate: {
    buildDefinition: {
      externalParameters: {
        workflow: { repository, path: ".github/workflows/release.yml", ref: "refs/heads/main" },
      },
      resolvedDependencies: [
        { uri: "git+https://github.com/ada/chess", digest: { gitCommit: "abc123" } },
      ],
    },
    runDetails: {
      builder: { id: "https://github.com/actions/runner/github-hosted" },
      metadata: { invocationId: "https://github.com/ada/chess/actions/runs/1/attempts/1" },
    },
  },
});

test("reads where and from what a version was built", async () => {
  await using sigstore = await startSigstore();
  const repository = "https://github.com/ada/chess";
  const bundle = await sigstore.sign({ repository: "ada/chess", statement: statement(repository) });
  expect(provenanceOf(slsa, bundle)).toEqual({
    predicateType: slsa,
    repository,
    commit: "abc123",
    workflow: ".github/workflows/release.yml",
    build: "https://github.com/ada/chess/actions/runs/1/attempts/1",
    builder: "https://github.com/actions/runner/github-hosted",
    logIndex: expect.any(String),
  });
});

test("omits addresses that are not HTTPS", () => {
  const payload = Buffer.from(JSON.stringify(statement("javascript:alert(1)"))).toString("base64");
  const { repository, commit } = provenanceOf(slsa, { dsseEnvelope: { payload } });
  expect([repository, commit]).toEqual([undefined, "abc123"]);
});

test.each([
  undefined,
  {},
  { dsseEnvelope: { payload: "e30" } },
  { dsseEnvelope: { payload: "?" } },
])("reads nothing from the bundle %j", (bundle) => {
  const { predicateType, ...facts } = provenanceOf(slsa, bundle);
  expect([predicateType, ...Object.values(facts)]).toEqual([slsa, ...Array(6).fill(undefined)]);
});
