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

test("methods return the response of their route", () => {
  expectTypeOf(hub.findEnvironments).returns.resolves.toEqualTypeOf<SearchResults>();
  expectTypeOf(hub.readPackage).returns.resolves.toEqualTypeOf<PackageDetail>();
  expectTypeOf(hub.publishAdvisory).returns.resolves.toEqualTypeOf<Advisory>();
  expectTypeOf<HubClient>().toHaveProperty("readStatistics");
});

test("methods accept the input of their route, and need none if all fields are optional", () => {
  void (() => hub.readStatistics());
  void (() => hub.findPackages());
  void (() => hub.findPackages({ q: "x", tag: "game", tool: ["a", "b"], page: "2" }));
  expectTypeOf<RouteInput<typeof routes.readVersion>>().toEqualTypeOf<{
    name: string;
    version: string;
  }>();
  // @ts-expect-error the name is required
  void (() => hub.readPackage());
  // @ts-expect-error the version is required
  void (() => hub.readVersion({ name: "@envs/tictactoe" }));
  // @ts-expect-error the filter does not exist
  void (() => hub.findPackages({ tags: "game" }));
  // @ts-expect-error the sort order does not exist
  void (() => hub.findPackages({ sort: "size" }));
  const advisory = { name: "a", title: "b", vulnerableVersions: "*" };
  // @ts-expect-error the severity does not exist
  void (() => hub.publishAdvisory({ ...advisory, severity: "bad" }));
});
