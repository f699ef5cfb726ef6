"use strict";
// Runs the built command twice in one process, so that its compiled code is cached. Usage: node warm-command.cjs FOLDER
const { join } = require("node:path");
const { loadCommand } = require("../bin/compiled.js");

const shared = ["--allowed-tools", "Bash,Edit,Glob,Grep,Read,Write"];
const runs = [
  ["-p", "Look around.", ...shared],
  ["-p", "Look around.", "--output-format", "stream-json", "--verbose", "--include-partial-messages", ...shared],
];

async function warm() {
  process.chdir(process.argv[2]);
  const { main } = loadCommand(join(__dirname, "../dist/command/main.cjs"));
  for (const args of runs) {
    await main(args);
    if (process.exitCode !== 0) return;
  }
}

warm().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
