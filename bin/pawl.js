#!/usr/bin/env node
"use strict";
// The version check comes before anything that an old Node cannot read: this file keeps to plain words and require(),
// and loads the rest only when the check has passed.
const needed = [22, 19];
const found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  const here = process.versions.node + " (" + process.execPath + ")";
  process.stderr.write("pawl needs Node.js " + needed.join(".") + " or newer; this is Node.js " + here + ".\n");
  process.exitCode = 2;
} else {
  require("./start.js").start(process.argv.slice(2));
}
