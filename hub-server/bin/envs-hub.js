#!/usr/bin/env node
// Old versions of Node must be able to parse this file.
var parts = process.versions.node.split(".");
if (parts[0] > 22 || (parts[0] == 22 && parts[1] >= 18)) {
  void import("../dist/bin.js");
} else {
  console.error(
    "✗ envs-hub needs Node 22.18 or newer. This is Node " + process.versions.node + ".",
  );
  process.exitCode = 1;
}
