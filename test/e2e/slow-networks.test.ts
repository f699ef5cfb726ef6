// How long the command gives each address of a name.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorld } from "./command.ts";

/** Tells what holds as the name of the model's host is looked up. */
const probe = `
const dns = require("node:dns");
const net = require("node:net");
const { lookup } = dns;
dns.lookup = (host, ...rest) => {
  if (host === "localhost") process.stderr.write("each: " + net.getDefaultAutoSelectFamilyAttemptTimeout() + "\\n");
  return lookup(host, ...rest);
};
`;

test("each address of the model's host gets 1.5 s to connect", async () => {
  const world = await createWorld({ fallback: "hello" });
  onTestFinished(() => world.close());
  const file = join(world.home, "probe.cjs");
  writeFileSync(file, probe);
  const env = {
    ANTHROPIC_BASE_URL: world.server.url.replace("127.0.0.1", "localhost"),
    NODE_OPTIONS: `--require=${JSON.stringify(file)}`,
  };
  const run = await world.run(["-p", "hi"], { env });
  expect(run).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(run.stderr).toContain("each: 1500\n");
});
