// A command or a file that is being typed: those that begin so stand under the prompt, and nothing is taken before a key takes it.
import { expect, test } from "vitest";
import { command, shown, tabbing } from "./tabbing.ts";
import { echo, type Talk } from "./talk.ts";

const prompts = ({ engine }: Talk): unknown[] => engine.prompts.map(({ prompt }) => prompt);
const row = (name: string, chosen = false): RegExp => new RegExp(`^${chosen ? "›" : " "} /${name} `, "mu");

test("suggested commands follow each typed and erased character", async () => {
  const talk = tabbing();
  await talk.tab("/");
  expect(shown(talk)).toMatch(/^> \/\n {2}\/clear/u);
  expect(shown(talk)).toContain("more");
  await talk.tab("co");
  expect(shown(talk).split("\n")[0]).toBe("> /co");
  for (const name of ["compact", "cost", "continue"]) expect(shown(talk)).toMatch(row(name));
  expect(shown(talk)).not.toContain("/clear");
  await talk.tab("m");
  expect(shown(talk)).toBe("> /com\n  /compact [instructions]  does compact");
  await talk.tab("\x7f");
  expect(shown(talk)).toMatch(row("cost"));
  await talk.tab("\x17");
  expect(shown(talk)).toBe(">");
});

test("the arguments of a command are shown until something follows its name", async () => {
  const talk = tabbing();
  await talk.tab("/model");
  expect(shown(talk)).toBe("> /model\n  /model [name]  does model");
  await talk.tab(" ");
  expect(shown(talk)).toBe("> /model\n  /model [name]  does model");
  await talk.tab("x");
  expect(shown(talk)).toBe("> /model x");
  await talk.tab("\r");
  expect(prompts(talk)).toEqual(["/model x"]);
});

test("names of commands are listed before other names for them", async () => {
  const talk = tabbing([], echo, { NO_COLOR: "1" }, [{ ...command("clear"), aliases: ["reset"] }, command("review")]);
  await talk.tab("/re");
  const names = Array.from(shown(talk).matchAll(/^ {2}\/(\S+)/gmu), ([, name]) => name);
  expect(names[0]).toBe("review");
  expect(names.at(-1)).toBe("reset");
});

test("Enter sends the typed text regardless of suggestions", async () => {
  const talk = tabbing();
  await talk.tab("/co");
  await talk.tab("\r");
  expect(prompts(talk)).toEqual(["/co"]);
});

test("Tab completes the common part or takes the first command, and arrows choose", async () => {
  const talk = tabbing([], echo, { NO_COLOR: "1" }, [command("deploy-now"), command("deploy-later")]);
  await talk.tab("/dep");
  await talk.tab("\t");
  expect(shown(talk)).toMatch(/^> \/deploy-\n {2}\/deploy-now/u);
  await talk.tab("\t");
  expect(shown(talk)).toMatch(/^> \/deploy-now\n› \/deploy-now/u);
  await talk.tab("\x15/dep");
  await talk.tab("\x1b[B");
  await talk.tab("\x1b[B");
  expect(shown(talk)).toMatch(/^> \/deploy-later\n {2}\/deploy-now/u);
  expect(shown(talk)).toMatch(row("deploy-later", true));
  await talk.tab("\x1b[B");
  await talk.tab("\x1b[A");
  await talk.tab("soon\r");
  expect(prompts(talk)).toEqual(["/deploy-later soon"]);
});

test("Tab completes a single suggestion, and Shift+Tab still changes the mode", async () => {
  const talk = tabbing();
  await talk.tab("/mod");
  await talk.tab("\x1b[Z");
  expect(talk.text()).toContain("acceptEdits");
  await talk.tab("e");
  await talk.tab("\t");
  expect(shown(talk)).toContain("/mode");
});

test("recalled prompts and text that only begins with a slash get no suggestions", async () => {
  const talk = tabbing();
  await talk.tab("/cost\r");
  await talk.tab("first\r");
  await talk.tab("\x1b[A");
  await talk.tab("\x1b[A");
  expect(shown(talk)).toBe("> /cost");
  await talk.tab("\x1b[B");
  expect(shown(talk)).toBe("> first");
  await talk.tab("\x15/usr/bin is full");
  expect(shown(talk)).toBe("> /usr/bin is full");
  await talk.tab("\x15/zzz");
  expect(shown(talk)).toBe("> /zzz");
});

test("a terminal that cannot move its cursor gets no suggestions", async () => {
  const talk = tabbing([], echo, { TERM: "dumb" });
  await talk.tab("/co");
  expect(talk.raw()).not.toContain("compact");
});

test("files are suggested after a pause in typing, and removed if none matches", async () => {
  const talk = tabbing(["src/", "src/a.ts", "src/b.ts", "README.md"]);
  await talk.press("see @s");
  expect(talk.asked).toEqual([]);
  await talk.press("r");
  await talk.tab("c/");
  expect(talk.asked).toEqual(["src/"]);
  expect(shown(talk)).toBe("> see @src/\n  a.ts\n  b.ts");
  await talk.press("b");
  expect(shown(talk)).toBe("> see @src/b\n  a.ts\n  b.ts");
  await talk.tab("");
  expect(shown(talk)).toBe("> see @src/b\n  b.ts");
  await talk.tab("\t");
  await talk.tab("now\r");
  expect(talk.asked).toEqual(["src/", "src/b"]);
  expect(prompts(talk)).toEqual(["see @src/b.ts now"]);
  await talk.tab("@alice");
  expect(shown(talk)).toBe("> @alice");
});

test("arrows choose a file, and the first Enter takes it", async () => {
  const talk = tabbing(["a.md", "b.md"]);
  await talk.tab("@");
  await talk.tab("\x1b[A");
  expect(shown(talk)).toBe("> @b.md\n  a.md\n› b.md");
  await talk.tab("\r");
  expect(shown(talk)).toBe("> @b.md");
  await talk.tab("\r");
  expect(prompts(talk)).toEqual(["@b.md "]);
});

test("a failed lookup is reported only if Tab asked for it", async () => {
  const talk = tabbing();
  Object.assign(talk.engine.desk, { completePath: () => Promise.reject(new Error("no such place")) });
  await talk.tab("@x");
  expect(talk.text()).not.toContain("could be completed");
  await talk.tab("\t");
  expect(talk.text()).toContain("Nothing could be completed: no such place");
});

test("taking a folder suggests its files, and taking a command shows its arguments", async () => {
  const talk = tabbing(["lib/", "src/", "src/a.ts"]);
  await talk.tab("@");
  await talk.tab("\x1b[A");
  await talk.tab("\r");
  expect(shown(talk)).toBe("> @src/\n  a.ts");
  await talk.tab("\x15/co");
  await talk.tab("\x1b[B");
  await talk.tab("\r");
  expect(shown(talk)).toBe("> /compact\n  /compact [instructions]  does compact");
  expect(prompts(talk)).toEqual([]);
});

test("a command that a terminal command hides is not suggested", async () => {
  const talk = tabbing([], echo, { NO_COLOR: "1" }, [command("plan", "", "my own"), command("planet")]);
  await talk.tab("/pl");
  expect(shown(talk)).not.toContain("my own");
  expect(shown(talk)).toMatch(/\/planet[^]*\/plan /u);
});
