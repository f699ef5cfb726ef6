// `pawl auth status`, as programs ask it before they drive a session.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runAuth } from "../../src/cli/auth-command.ts";
import { clearGroundsAfterwards, layGround } from "../session/support.ts";

clearGroundsAfterwards();

async function auth(words: string[], env: Record<string, string>, ground = layGround()) {
  const parsed = parseArguments(["auth", ...words]);
  if (parsed.kind !== "auth") throw new Error(`parsed as ${parsed.kind}`);
  const { work, home } = ground;
  let text = "";
  const around = { cwd: work, home, env: { HOME: home, ...env } };
  const code = await runAuth(parsed.auth, around, async (piece) => void (text += piece));
  return { text, code };
}

test.each([
  [{ ANTHROPIC_API_KEY: "sk-secret" }, "ANTHROPIC_API_KEY", "api_key"],
  [{ ANTHROPIC_AUTH_TOKEN: "sk-secret" }, "ANTHROPIC_AUTH_TOKEN", "auth_token"],
])("reports a key of the environment as a login without printing it: %j", async (env, apiKeySource, authMethod) => {
  const { text, code } = await auth(["status", "--json"], env);
  expect(JSON.parse(text)).toEqual({ loggedIn: true, authMethod, apiProvider: "firstParty", apiKeySource });
  expect(code).toBe(0);
  expect((await auth(["status", "--text"], env)).text).toBe(`The key comes from ${apiKeySource}.\n`);
});

test("counts the user's apiKeyHelper without running it, and ignores the folder's", async () => {
  const ground = layGround();
  const mark = join(ground.home, "ran");
  const helper = JSON.stringify({ apiKeyHelper: `touch ${mark}` });
  mkdirSync(join(ground.work, ".claude"));
  writeFileSync(join(ground.work, ".claude/settings.json"), helper);
  expect(await auth(["status"], {}, ground)).toMatchObject({ code: 1 });
  mkdirSync(join(ground.home, ".claude"));
  writeFileSync(join(ground.home, ".claude/settings.json"), helper);
  const { text, code } = await auth([], {}, ground);
  expect(JSON.parse(text)).toMatchObject({ loggedIn: true, authMethod: "api_key_helper" });
  expect(code).toBe(0);
  expect(() => writeFileSync(mark, "", { flag: "wx" })).not.toThrow();
});

test("exits with 1 and says what to do if there is no key", async () => {
  const { text, code } = await auth(["status"], {});
  expect(JSON.parse(text)).toMatchObject({ loggedIn: false, authMethod: "none" });
  expect(code).toBe(1);
  expect((await auth(["status", "--text"], {})).text).toContain("set ANTHROPIC_API_KEY");
});

test("refuses pawl auth login and names what to set instead", () => {
  expect(() => parseArguments(["auth", "login"])).toThrow(/no login: set ANTHROPIC_API_KEY/u);
  expect(() => parseArguments(["auth", "status", "--yaml"])).toThrow(/not "--yaml"/u);
  expect(parseArguments(["auth", "--help"])).toMatchObject({ kind: "help" });
});
