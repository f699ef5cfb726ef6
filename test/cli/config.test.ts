// `pawl config`: what is shown of settings, and one key changed in one file, with real files.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { runConfig } from "../../src/cli/config-command.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
let home = "";
let cwd = "";
beforeEach(() => {
  root = temporaryFolder();
  home = join(root, "home");
  cwd = join(root, "repo");
  for (const folder of [home, cwd]) mkdirSync(folder);
});

const put = (file: string, content: unknown): string => putFile(join(root, file), content);
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Told {
  text: string;
  code: number;
  notices: string[];
}

async function config(...words: string[]): Promise<Told> {
  const parsed = parseArguments(["config", ...words]);
  if (parsed.kind !== "config") throw new Error(`parsed as ${parsed.kind}`);
  const told: Told = { text: "", code: 0, notices: [] };
  const around = { cwd, env: { HOME: home }, onNotice: (text: string) => void told.notices.push(text) };
  told.code = await runConfig(parsed.config, around, async (text) => void (told.text += text));
  return told;
}

describe("pawl config, showing settings", () => {
  test("lists each key in force with its file, and each ignored one with the reason", async () => {
    const own = put("home/.pawl/settings.json", {
      model: "b",
      effortLevel: "huge",
      tui: "fullscreen",
      env: { A: "1" },
      permissions: { deny: ["Read(.env)"], allow: ["- Read"] },
    });
    const elder = put("home/.claude/settings.json", { model: "a", permissions: { deny: ["Bash(x)"] } });
    const repo = put("repo/.claude/settings.json", { model: "evil", permissions: { deny: ["Bash(y)"] } });
    const { text, code } = await config("list");
    expect(code).toBe(0);
    expect(text).toContain(`model = "b"\n    user    ${own}\n`);
    expect(text).toContain(
      `permissions.deny = ["Bash(x)","Read(.env)","Bash(y)"]\n    user    ${elder}\n    user    ${own}\n    project ${repo}\n`,
    );
    const [, idle = ""] = text.split("Not in force:");
    for (const part of [
      `${elder}: "model": ${own} counts over it`,
      `"effortLevel" (line 1) should be one of low`,
      `this version does not act on "tui"`,
      `${repo}: "model": this folder is not trusted`,
      `The allow rule "- Read" (${own}): it is not a rule`,
    ])
      expect(idle).toContain(part);
    const json = JSON.parse((await config("list", "--json")).text) as { settings: { key: string; value: unknown }[] };
    expect(json.settings.map(({ key }) => key)).toEqual([
      "effortLevel",
      "env.A",
      "model",
      "permissions.allow",
      "permissions.deny",
    ]);
    expect(json.settings.find(({ key }) => key === "model")).toMatchObject({
      value: "b",
      sayings: [
        { scope: "user", file: elder, value: "a", counts: false },
        { file: own, counts: true },
        { scope: "project", counts: false, why: "this folder is not trusted" },
      ],
    });
  });

  // Seen: notes in a file were listed as settings that nobody knows, and so were settings that people have from the convention.
  test("says only once why a key is ignored, and nothing about note keys", async () => {
    const file = put("repo/.claude/settings.json", {
      "//": "for all of us",
      $note: "shared",
      _why: "ask first",
      cleanupPeriodDays: 90,
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", A: "1" },
      permissions: { $deny_note: "no secrets", _why: "x", deny: ["Read(.env)"] },
      promptSuggestionEnabled: false,
      promptSugestionEnabled: false,
    });
    const [, idle = ""] = (await config("list", "--trust")).text.split("Not in force:\n");
    expect(idle.trim().split("\n")).toEqual([
      `${file}: "cleanupPeriodDays", "env.ANTHROPIC_BASE_URL" cannot be set by a project; put it into your own settings.`,
      `  ${file}: this version does not act on "promptSuggestionEnabled".`,
      `  ${file}: "promptSugestionEnabled" is not a known setting.`,
    ]);
  });

  // Seen: it was said of an empty "aliases" that this version does not act on it.
  test("says nothing about an empty object", async () => {
    put("home/.claude/settings.json", { aliases: {}, hooks: {}, permissions: { allow: [] } });
    expect((await config("list")).text).not.toContain("Not in force");
    expect((await config("get", "aliases")).text).not.toContain("does not act");
  });

  test("reports a key as overruled even if a misspelt one suggests it", async () => {
    const file = put("home/.pawl/settings.json", { model: "b", modle: "c" });
    put("repo/.pawl/settings.json", { model: "d" });
    const [, idle = ""] = (await config("list", "--trust")).text.split("Not in force:\n");
    expect(idle).toContain(`${file}: "modle" is not a setting; did you mean "model"?`);
    expect(idle).toContain(`${file}: "model": `);
  });

  test("prints a key's value with get, and every file that sets it with where", async () => {
    put("home/.pawl/settings.json", { model: "b", permissions: { deny: ["A", "B"] } });
    expect(await config("get", "model")).toMatchObject({ text: "b\n", code: 0 });
    expect((await config("get", "model", "--json")).text).toBe('"b"\n');
    expect((await config("get", "model", "--settings", '{"model":"c"}')).text).toBe("c\n");
    expect(JSON.parse((await config("get", "permissions.deny")).text)).toEqual(["A", "B"]);
    expect(await config("get", "effortLevel")).toMatchObject({
      code: 1,
      text: "",
      notices: ["effortLevel is not set."],
    });
    for (const known of ["worktree", "env.A", "sandbox"])
      expect((await config("get", known)).notices).toEqual([`${known} is not set.`]);
    const { text } = await config("where", "model", "--settings", '{"model":"c"}');
    expect(text.split("\n")).toMatchObject([
      expect.stringMatching(/^flag +--settings: "c"$/u),
      expect.stringContaining('"b" (does not count: --settings counts over it)'),
      "",
    ]);
    expect((await config("where", "speed")).code).toBe(1);
  });

  test("suggests the key that was meant for an unknown one", async () => {
    put("home/.pawl/settings.json", { model: "b", permissions: { deny: ["A"] } });
    const meant = 'There is no setting "modle": did you mean model?';
    expect(await config("get", "modle")).toMatchObject({ code: 1, text: "", notices: [meant] });
    expect(await config("where", "modle")).toMatchObject({ code: 1, text: `${meant}\n` });
    expect((await config("get", "permissions.denny")).notices).toEqual([
      'There is no setting "permissions.denny": did you mean permissions.deny?',
    ]);
  });

  test("says of a part of a value that is set as a whole what the whole is", async () => {
    const whole = 'worktree is set as a whole, to {"symlinkDirectories": ["node_modules"]}.';
    const folders = ["worktree.symlinkDirectories", '["node_modules"]'];
    await expect(config("set", ...folders)).rejects.toThrow(`There is no setting "${folders[0]}": ${whole}`);
  });

  test("prints a whole value even if it contains 8-bit control characters", async () => {
    const command = "echo hi \x9d; touch ran #\x9c";
    put("home/.pawl/settings.json", { statusLine: { type: "command", command } });
    const shown = String.raw`echo hi \u009d; touch ran #\u009c`;
    expect((await config("list")).text).toContain(shown);
    expect((await config("where", "statusLine")).text).toContain(shown);
    const { text } = await config("get", "statusLine");
    expect(text).toContain(shown);
    expect(JSON.parse(text)).toEqual({ type: "command", command });
  });

  test("hides keys, tokens and passwords in lists, and shows them when asked for by key", async () => {
    const secret = "secret-of-the-user";
    const headers = { "X-Custom": secret };
    put("home/.pawl/settings.json", {
      env: {
        GITHUB_TOKEN: secret,
        ANTHROPIC_MODEL: "b",
        HTTPS_PROXY: `http://me:${secret}@proxy.test:3128/`,
        A_KEY: { of: 1 },
        PIN_TOKEN: 4711,
      },
      mcpServers: { a: { command: "run", args: ["--key"], env: { DB_PASSWORD: secret, MODE: "m" } }, b: { headers } },
      hooks: { Stop: [{ hooks: [{ type: "http", url: "http://127.0.0.1:1/", headers }] }] },
    });
    const { text } = await config("list");
    expect(text).not.toContain(secret);
    for (const part of [
      'env.GITHUB_TOKEN = "***"',
      'env.PIN_TOKEN = "***"',
      'env.ANTHROPIC_MODEL = "b"',
      'env.HTTPS_PROXY = "http://***@proxy.test:3128/"',
      '{"command":"run","args":["--key"],"env":{"DB_PASSWORD":"***","MODE":"m"}}',
      '"headers":{"X-Custom":"***"}',
      '"env.A_KEY" (line 1) should be a text, under a name of letters, digits and _, not the value there',
    ])
      expect(text).toContain(part);
    for (const key of ["env.GITHUB_TOKEN", "env.HTTPS_PROXY", "mcpServers", "hooks"]) {
      const where = await config("where", key);
      expect([key, where.code, where.text.includes("***"), where.text.includes(secret)]).toEqual([key, 0, true, false]);
    }
    expect((await config("get", "env.GITHUB_TOKEN")).text).toBe(`${secret}\n`);
    expect((await config("list", "--json")).text).toContain(`"value":"${secret}"`);
  });

  test("names a file that cannot be read, and still applies the other files", async () => {
    put("home/.pawl/settings.json", "{");
    put("home/.claude/settings.json", { model: "a" });
    const { text } = await config("list");
    expect(text).toContain('model = "a"');
    expect(text).toContain("everything is asked about");
  });

  test("lists every known setting with --keys", async () => {
    const { text } = await config("list", "--keys");
    for (const key of ["model\n", "permissions.deny\n", "cleanupPeriodDays\n", "hooks\n"]) expect(text).toContain(key);
  });
});

describe("pawl config, changing settings", () => {
  test("keeps comments, order, unknown keys, indentation, line ends and the byte order mark", async () => {
    const before =
      '\ufeff// mine\r\n{\r\n    "theme": "dark", // for me\r\n    "model": "a",\r\n    "permissions": {\r\n        "allow": [\r\n            "Read", // harmless\r\n        ],\r\n    },\r\n}\r\n';
    put("home/.pawl/settings.json", before);
    await config("set", "model", "opus");
    await config("add", "permissions.allow", "Bash(npm test *)");
    await config("set", "cleanupPeriodDays", "7");
    expect(read("home/.pawl/settings.json")).toBe(
      before
        .replace('"model": "a"', '"model": "opus"')
        .replace("// harmless", '// harmless\r\n            "Bash(npm test *)",')
        .replace("    },\r\n}", '    },\r\n    "cleanupPeriodDays": 7,\r\n}'),
    );
    expect((await config("get", "permissions.allow", "--json")).text).toBe('["Read","Bash(npm test *)"]\n');
  });

  test("writes an allow rule with a tool's name in the wrong case, and says what the tool is called", async () => {
    const { text } = await config("add", "permissions.allow", "edit");
    expect(text).toContain("permissions.allow is written to");
    expect(text).toContain("the tool is called Edit.");
    expect((await config("add", "permissions.allow", "ls")).text).not.toContain("the tool is called");
  });

  test.each([
    ['{"a":1}', '{"a":1, "model": "m"}'],
    ["{}", '{\n  "model": "m"\n}'],
    ['{\n\t"a": 1 // one\n}\n', '{\n\t"a": 1, // one\n\t"model": "m"\n}\n'],
    ['{\n "a": 1 /* one\n two */\n}', '{\n "a": 1, "model": "m" /* one\n two */\n}'],
    ['{ "a": 1,\n  "b": 2, } // end', '{ "a": 1,\n  "b": 2,\n  "model": "m", } // end'],
  ])("inserts a new key at the right place of %j", async (before, after) => {
    put("home/.pawl/settings.json", before);
    await config("set", "model", "m");
    const found = read("home/.pawl/settings.json");
    expect((await config("get", "model")).text).toBe("m\n");
    expect(found.replaceAll(/\s+/gu, " ")).toBe(after.replaceAll(/\s+/gu, " "));
  });

  test.each([
    [
      '{\n  "a": 1, // one\n  "model": "m", // mine\n  // two\n  "b": 2 // three\n}\n',
      '{\n  "a": 1, // one\n  // two\n  "b": 2 // three\n}\n',
    ],
    ['{\r\n  "a": 1, // one\r\n  "model": "m" // mine\r\n}\r\n', '{\r\n  "a": 1 // one\r\n}\r\n'],
    ['{\n  "a": 1, // one\n  "model": "m",\n}\n', '{\n  "a": 1, // one\n}\n'],
    ['{\n  "model": "m",\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'],
    ['{ "a": 1, "model": "m", "b": 2 }', '{ "a": 1, "b": 2 }'],
    ['{ "a": 1, "model": "m" }', '{ "a": 1 }'],
    ['{"model":"m"}', "{}"],
    ['{\n  // mine, alone\n  "model": "m"\n}\n', "{\n  // mine, alone\n}\n"],
    ['{\n  "a": 1,\n  "model": "m" /* one\n  two */,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "b": 2\n}\n'],
    ['{\n  "a": "x, y", "model": "m", /* one\n  two */ "b": 2\n}\n', '{\n  "a": "x, y", /* one\n  two */ "b": 2\n}\n'],
  ])("removes only its own key from %j", async (before, after) => {
    put("home/.pawl/settings.json", before);
    await config("remove", "model");
    expect(read("home/.pawl/settings.json")).toBe(after);
  });

  test("removes one item of a list and keeps the comments of the others", async () => {
    const list = ["Bash(a)", "Bash(b)", "Bash(c)"].map((rule) => `      "${rule}", // ${rule}\n`);
    const text = (kept: number[]): string =>
      `{\n  "permissions": {\n    "deny": [\n${kept.map((at) => list[at]).join("")}    ]\n  }\n}\n`;
    put("home/.pawl/settings.json", text([0, 1, 2]));
    await config("remove", "permissions.deny", "Bash(b)");
    expect(read("home/.pawl/settings.json")).toBe(text([0, 2]));
    await config("remove", "permissions.deny", "Bash(c)");
    expect(read("home/.pawl/settings.json")).toBe(text([0]));
  });

  test("creates a missing user file readable only by the user, or the folder's file in the folder", async () => {
    await config("set", "env.FOO", "1");
    expect(JSON.parse(read("home/.pawl/settings.json"))).toEqual({ env: { FOO: "1" } });
    expect(statSync(join(home, ".pawl/settings.json")).mode & 0o777).toBe(0o600);
    expect((await config("set", "model", "x", "--project")).text).toContain(
      "has no effect yet: this folder is not trusted",
    );
    expect((await config("add", "permissions.deny", "Read(.env)", "--local")).text).not.toContain("has no effect");
    expect(JSON.parse(read("repo/.pawl/settings.json"))).toEqual({ model: "x" });
    expect(JSON.parse(read("repo/.pawl/settings.local.json"))).toEqual({ permissions: { deny: ["Read(.env)"] } });
    expect((await config("remove", "permissions.deny", "Read(.env)", "--local")).text).not.toContain("has no effect");
    expect((await config("list")).text).not.toContain('"permissions.deny"');
  });

  test("sets a nested key of the sandbox", async () => {
    await config("set", "sandbox.network.allowedDomains", '["a.example"]');
    expect(JSON.parse(read("home/.pawl/settings.json"))).toEqual({
      sandbox: { network: { allowedDomains: ["a.example"] } },
    });
    expect((await config("get", "sandbox.network.allowedDomains", "--json")).text).toBe('["a.example"]\n');
  });

  test("accepts hooks that only deserve a note, and prints the note", async () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "echo $CLAUDE_FILE_PATHS" }] }] };
    expect((await config("set", "hooks", JSON.stringify(hooks))).text).toContain("which hooks are not given");
    expect(JSON.parse(read("home/.pawl/settings.json"))).toEqual({ hooks });
  });

  test("does not replace a link that leads nowhere", async () => {
    mkdirSync(join(home, ".pawl"), { recursive: true });
    const link = join(home, ".pawl/settings.json");
    symlinkSync("gone.json", link);
    const why = `${link} cannot be changed: it is a link to something that does not exist.`;
    await expect(config("set", "model", "x")).rejects.toThrow(why);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test("writes to the file that a link names and keeps its mode", async () => {
    const real = put("dotfiles/pawl.json", "{}");
    chmodSync(real, 0o640);
    mkdirSync(join(home, ".pawl"));
    symlinkSync(real, join(home, ".pawl/settings.json"));
    await config("set", "model", "x");
    expect(JSON.parse(read("dotfiles/pawl.json"))).toEqual({ model: "x" });
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(home, ".pawl"))).toEqual(["settings.json"]);
  });

  test("adds an item once, removes one item, and removes the whole key", async () => {
    await config("add", "permissions.deny", "Bash(a)");
    await config("add", "permissions.deny", "Bash(b)");
    expect((await config("add", "permissions.deny", "Bash(a)")).text).toContain("already has that value");
    await config("remove", "permissions.deny", "Bash(a)");
    expect((await config("get", "permissions.deny", "--json")).text).toBe('["Bash(b)"]\n');
    await expect(config("remove", "permissions.deny", "Bash(a)")).rejects.toThrow("nothing to remove");
    await config("remove", "permissions.deny");
    expect(JSON.parse(read("home/.pawl/settings.json"))).toEqual({ permissions: {} });
  });

  test.each([
    [["set", "effortLevel", "huge"], "effortLevel should be one of low, medium"],
    [["set", "cleanupPeriodDays", "0"], "a whole number of days from 1"],
    [["set", "permissions.deny", "Bash"], "a list of rules"],
    [["add", "permissions.deny", "Bash("], "it is not a rule"],
    [["add", "permissions.deny", "7"], "a list of rules"],
    [["set", "permissions.defaultMode", "yolo"], "one of default, acceptEdits"],
    [["set", "hooks", '{"Stop":3}'], "hooks.Stop should be a list"],
    [["add", "model", "x"], "model"],
    [["set", "permissions.denny", "[]"], "did you mean permissions.deny?"],
    [["set", "env.BAD NAME", "x"], "env.BAD NAME"],
    [["set", "sandbox.enabled", "perhaps"], '"sandbox.enabled" should be true or false'],
    [["set", "sandbox.network.allowedDomain", "[]"], "is not a setting of the sandbox"],
    [["set", "apiKeyHelper", "x", "--project"], "with --user"],
    [["set", "permissions.defaultMode", "bypassPermissions", "--local"], "with --user"],
  ])("refuses an invalid change and names the expected form: %j", async (words, part) => {
    const path = put("home/.pawl/settings.json", '{"model":"m"}');
    await expect(config(...words)).rejects.toThrow(part);
    expect(readFileSync(path, "utf8")).toBe('{"model":"m"}');
    expect(existsSync(join(cwd, ".pawl"))).toBe(false);
  });

  test("refuses to change a file that is broken, not UTF-8 or has duplicate keys, and leaves it as it is", async () => {
    for (const [text, part] of [
      ["{", "cannot be changed from here"],
      ['{"model":"a","model":"b"}', "appears twice"],
      ['{"env":"x"}', "env.A"],
    ] as const) {
      const path = put("home/.pawl/settings.json", text);
      const words = text.includes("env") ? ["set", "env.A", "1"] : ["set", "model", "c"];
      await expect(config(...words)).rejects.toThrow(part);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
    writeFileSync(join(home, ".pawl/settings.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(config("set", "model", "c")).rejects.toThrow("no UTF-8");
  });

  test("refuses missing or surplus arguments", () => {
    for (const words of [["set", "model"], ["get"], ["list", "x"], ["frob"], ["set", "a", "b", "--user", "--local"]])
      expect(() => parseArguments(["config", ...words]), words.join(" ")).toThrow();
  });
});

test("performs simultaneous changes one after another without losing any", async () => {
  const names = Array.from({ length: 8 }, (_, at) => `Read(./of-${at})`);
  const told = await Promise.all(names.map(async (name) => await config("add", "permissions.allow", name, "--user")));
  expect(told.map(({ code }) => code)).toEqual(names.map(() => 0));
  const written = JSON.parse(read("home/.pawl/settings.json")) as { permissions: { allow: string[] } };
  expect(written.permissions.allow.toSorted()).toEqual(names);
  expect(readdirSync(join(home, ".pawl"))).toEqual(["settings.json"]);
});
