// `pawl trust`, as a person reads it who has come with a repository.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseTrust } from "../../src/cli/trust-arguments.ts";
import { runTrust } from "../../src/cli/trust-command.ts";
import { clearGroundsAfterwards, layGround } from "../session/support.ts";

clearGroundsAfterwards();

test("says of a folder that is not trusted how to look closer and how to trust it, and of one that is no more than its state", async () => {
  const { work, home } = layGround();
  mkdirSync(join(work, ".claude"));
  writeFileSync(join(work, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["Edit"] } }));
  const trust = async (...words: string[]): Promise<string> => {
    let told = "";
    await runTrust(parseTrust(words), { cwd: work, env: { HOME: home } }, async (text) => void (told += text));
    return told;
  };
  expect(await trust()).toMatch(/ is not trusted: 1 allow rule in .*settings\.json\. pawl trust add .* pawl hooks /u);
  await trust("add");
  expect(await trust()).toMatch(/ is trusted: 1 allow rule in .*settings\.json\.\n$/u);
});
