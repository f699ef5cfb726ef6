"use strict";
// From the version check to cli/main: the --version fast path, then the built command, or the sources in a clone that was
// not built. CommonJS, so that a start need not load what runs ES modules.
const { join } = require("node:path");
const { existsSync, readFileSync } = require("node:fs");
const compiled = () => require("./compiled.js");

function printVersion() {
  const manifest = readFileSync(join(__dirname, "../package.json"), "utf8");
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`pawl: the output could not be written: ${error.message}\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
}

/** cli/main, of the sources. */
async function fromSources(built) {
  const sources = join(__dirname, "../src/cli/main.ts");
  if (!existsSync(sources)) throw compiled().missingPart(built);
  const folder = compiled().cacheFolder();
  if (folder !== undefined) require("node:module").enableCompileCache(folder);
  const { pathToFileURL } = require("node:url");
  return await import(pathToFileURL(sources).href);
}

async function run(args) {
  const built = join(__dirname, "../dist/command/main.cjs");
  const { main } = existsSync(built) ? compiled().loadCommand(built) : await fromSources(built);
  await main(args);
}

function start(args) {
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) return printVersion();
  // Among the processes: by the prompt in it, or as node, a `pkill` of the model's would find and end it. On Windows it is the window's.
  if (process.platform !== "win32") process.title = "pawl";
  run(args).catch((error) => {
    process.stderr.write(`pawl: ${error?.message ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}

module.exports = { start };
