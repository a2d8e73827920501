#!/usr/bin/env node
// Old versions of Node must be able to parse this file.
var parts = process.versions.node.split(".");

function fail(message) {
  console.error("✗ " + message);
  process.exitCode = 1;
}

if (parts[0] > 22 || (parts[0] == 22 && parts[1] >= 18)) {
  import("../dist/bin.js").catch(function (error) {
    // In a clone, the hub is built; an installed one has its files.
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.url.endsWith("dist/bin.js")) throw error;
    fail("The hub of this clone is not built. Build it: npx -y pnpm@12 build");
  });
} else {
  fail("envs-hub needs Node 22.18 or newer. This is Node " + process.versions.node + ".");
}
