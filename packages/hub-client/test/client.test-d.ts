import {
  type Advisory,
  type HubClient,
  hubClient,
  type PackageDetail,
  type RouteInput,
  type routes,
  type SearchResults,
} from "@envs/hub-client";
import { expectTypeOf, test } from "vitest";

const hub = hubClient({ url: "http://localhost:4873" });

test("a method gives what its route answers", () => {
  expectTypeOf(hub.findEnvironments).returns.resolves.toEqualTypeOf<SearchResults>();
  expectTypeOf(hub.readPackage).returns.resolves.toEqualTypeOf<PackageDetail>();
  expectTypeOf(hub.publishAdvisory).returns.resolves.toEqualTypeOf<Advisory>();
  expectTypeOf<HubClient>().toHaveProperty("readStatistics");
});

test("a method takes what its route does, and is called without where nothing is needed", () => {
  void (() => hub.readStatistics());
  void (() => hub.findPackages());
  void (() => hub.findPackages({ q: "x", tag: "game", tool: ["a", "b"], page: "2" }));
  expectTypeOf<RouteInput<typeof routes.readVersion>>().toEqualTypeOf<{
    name: string;
    version: string;
  }>();
  // @ts-expect-error a package has a name
  void (() => hub.readPackage());
  // @ts-expect-error a version, too
  void (() => hub.readVersion({ name: "@envs/tictactoe" }));
  // @ts-expect-error there is no such filter
  void (() => hub.findPackages({ tags: "game" }));
  // @ts-expect-error there is no such order
  void (() => hub.findPackages({ sort: "size" }));
  const warning = { name: "a", title: "b", vulnerableVersions: "*" };
  // @ts-expect-error there is no such severity
  void (() => hub.publishAdvisory({ ...warning, severity: "bad" }));
});
