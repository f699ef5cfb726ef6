// `pawl trust`, as a person reads it who has come with a repository.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseTrust } from "../../src/cli/trust-arguments.ts";
import { runTrust } from "../../src/cli/trust-command.ts";
import { UsageError } from "../../src/lib/usage-error.ts";
import { clearGroundsAfterwards, layGround } from "../session/support.ts";

clearGroundsAfterwards();

const inFolder =
  ({ work, home }: { work: string; home: string }) =>
  async (...words: string[]): Promise<string> => {
    let told = "";
    await runTrust(parseTrust(words), { cwd: work, env: { HOME: home } }, async (text) => void (told += text));
    return told;
  };

test("pawl trust says how to inspect and trust an untrusted folder, and only the state of a trusted one", async () => {
  const { work, home } = layGround();
  mkdirSync(join(work, ".claude"));
  writeFileSync(join(work, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["Edit"] } }));
  const trust = inFolder({ work, home });
  expect(await trust()).toMatch(/ is not trusted: 1 allow rule in .*settings\.json\. pawl trust add .* pawl hooks /u);
  await trust("add");
  expect(await trust()).toMatch(/ is trusted: 1 allow rule in .*settings\.json\.\n$/u);
});

test("pawl trust does not name a file that only denies things", async () => {
  const { work, home } = layGround();
  mkdirSync(join(work, ".claude"));
  writeFileSync(join(work, ".claude/settings.json"), JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }));
  writeFileSync(join(work, ".claude/settings.local.json"), JSON.stringify({ permissions: { allow: ["Edit"] } }));
  expect(await inFolder({ work, home })()).toContain(
    ` is not trusted: 1 allow rule in ${join(work, ".claude/settings.local.json")}. `,
  );
});

test("pawl trust add trusts the named folder and not the current one", async () => {
  const { work, home } = layGround();
  for (const folder of [work, join(work, "../other")]) {
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["Edit"] } }));
  }
  const trust = inFolder({ work, home });
  expect(await trust("add", "../other")).toMatch(/other is trusted as it is now: 1 allow rule\.\n$/u);
  expect(await trust("status", "../other")).toMatch(/other is trusted: /u);
  expect(await trust()).toMatch(/ is not trusted: /u);
  expect(await trust("revoke", "../other")).toMatch(/other is no longer trusted\.\n$/u);
  expect(await trust("revoke", "../other")).toMatch(/other was not trusted\.\n$/u);
});

// Seen: after sudo the list was root's, and pawl trust called it a defect of its own, or said that pawl trust add would do.
test("pawl trust reports an unreadable or invalid list of trusted folders as a usage error", async () => {
  const { work, home } = layGround();
  mkdirSync(join(work, ".claude"));
  writeFileSync(join(work, ".claude/settings.json"), JSON.stringify({ permissions: { allow: ["Edit"] } }));
  mkdirSync(join(home, ".pawl/trust.json"), { recursive: true });
  for (const words of [["list"], []]) await expect(inFolder({ work, home })(...words)).rejects.toThrow(UsageError);
  rmSync(join(home, ".pawl/trust.json"), { recursive: true });
  writeFileSync(join(home, ".pawl/trust.json"), "{");
  await expect(inFolder({ work, home })("list")).rejects.toThrow(UsageError);
});
