// pnpm runs this script before it installs a clone. If the registry does not answer, nothing is installed, and the reason is printed
// within seconds: on its own, pnpm tries for minutes. The machine's own Node runs it, which may be old.
var childProcess = require("child_process");
var fs = require("fs");
var path = require("path");

var timeoutMs = 10000;
var unreachable =
  /^(ECONNREFUSED|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ESILENT|ETIMEDOUT)$/;

function pnpm(args) {
  return childProcess.execFileSync(process.env.npm_execpath, args, { encoding: "utf8" }).trim();
}

/** Downloads of earlier installs may be all that pnpm needs. */
function hasDownloads() {
  var files = path.join(pnpm(["store", "path"]), "files");
  // An empty store has empty folders.
  return (
    fs.existsSync(files) &&
    fs.readdirSync(files).some((name) => fs.readdirSync(path.join(files, name)).length > 0)
  );
}

function reject(registry, message) {
  console.error("✗ The npm registry " + registry + " does not answer: " + message + ".");
  if (hasDownloads()) {
    console.error(
      "  pnpm uses the packages of earlier installs, and may wait for minutes for others.",
    );
    return;
  }
  console.error("  Nothing was installed. Check the network, or the registry in your .npmrc.");
  process.exit(1);
}

function check() {
  // A request through a proxy needs a client that this machine may lack.
  if (Object.keys(process.env).some((name) => /^https?_proxy$/i.test(name))) return;
  var registry = pnpm(["config", "get", "registry"]);
  var url = new URL("-/ping", registry.replace(/\/*$/, "/"));
  // Any answer will do: a registry may require a login or a certificate of its own.
  var request = require(url.protocol.slice(0, -1)).get(url, (response) => response.destroy());
  request.setTimeout(timeoutMs, () => {
    request.destroy(Object.assign(new Error("no answer in 10 seconds"), { code: "ESILENT" }));
  });
  request.on("error", (error) => {
    if (unreachable.test(error.code)) reject(registry, error.message);
  });
}

check();
