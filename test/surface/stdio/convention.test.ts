// The tables of docs/ leave out nothing of the public convention, as it is written down beside the case collections.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookEvents } from "../../../src/protocol/hook.ts";
import { mainCommand } from "../../../src/cli/options.ts";
import { isFlagNotBuilt } from "../../../src/cli/not-built.ts";
import { controlTable } from "../../../src/surface/stdio/control-table.ts";

const vectors = process.env["PAWL_VECTORS"];
const folder = vectors === undefined || vectors === "" ? undefined : join(vectors, "../spec/compat");

function conventionOf(name: string): string | undefined {
  const path = folder === undefined ? undefined : join(folder, name);
  return path === undefined || !existsSync(path) ? undefined : readFileSync(path, "utf8");
}

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../../docs", name), "utf8");
const section = (text: string, from: string, to: string): string => {
  const start = text.indexOf(from);
  return text.slice(start, text.indexOf(to, start + from.length));
};
/** First cells of a table's rows, without its head. */
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| (.*?) \|/gmu)].flatMap(([, cell = ""]) =>
    /^[-\s]*$|^(?:Option|Flag|subtype)$/u.test(cell) ? [] : [cell],
  );

/** Where lines of the wire are made that are no messages of a session. */
const wireFiles = [
  "run.ts",
  "client-mirror.ts",
  "client-requests.ts",
  "request-desk.ts",
  "client-state-sync.ts",
  "session-opener.ts",
  "session-state.ts",
].map((name) => `surface/stdio/${name}`);
const flag = /--[a-z][A-Za-z-]+/gu;

const sdk = conventionOf("02-sdk.md");
const wire = conventionOf("03-wire-and-cli.md");

describe.skipIf(sdk === undefined || wire === undefined)("every name of the convention", () => {
  test("an option has a row in docs/sdk.md", () => {
    const cells = firstCells(section(sdk ?? "", "### 2.1", "`AgentDefinition`"));
    const names = cells.flatMap((cell) => cell.split(" / ")).map((name) => name.split(" ")[0] ?? "");
    const rows = new Set([...page("sdk.md").matchAll(/^\| `(\w+)` \|/gmu)].map(([, name]) => name));
    expect(names.length).toBeGreaterThan(65);
    expect(names.filter((name) => !rows.has(name) && name !== "appendSystemPrompt")).toEqual([]);
  });

  test("a control request has a row in docs/compat.md", () => {
    const cells = firstCells(section(wire ?? "", "Client → CLI:", "Unknown subtype"));
    const names = cells.flatMap((cell) => cell.split(" / ")).filter((name) => /^\w+$/u.test(name));
    const known = new Set(["initialize", ...controlTable.map(({ name }) => name)]);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test("a flag is accepted, or refused by its name", () => {
    const table = section(wire ?? "", "### 3.5", "### 3.6");
    const names = firstCells(table.slice(table.indexOf("| Flag |"))).flatMap((cell) => cell.match(flag) ?? []);
    const flags = new Set(mainCommand(() => undefined).options.flatMap((option) => option.flags.match(flag) ?? []));
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !flags.has(name) && !isFlagNotBuilt(name))).toEqual([]);
  });

  test("a message has a row in docs/compat.md that says whether it is sent", () => {
    const known = section(sdk ?? "", "### 2.2", "Enums:").split("\n");
    const cells = known.flatMap((line) => /^\| (`.*?`)[^|]*? \| /u.exec(line.replaceAll("\\|", ";"))?.[1] ?? []);
    const names = cells
      .flatMap((cell) => cell.replaceAll("`", "").split(/[;\s]+/u))
      .filter((name) => /^[a-z_/]+$/u.test(name));
    const subtypes = names.map((name) => name.split("/").at(-1) ?? "");
    expect(subtypes.length).toBeGreaterThan(40);
    const rows = [
      ...section(page("compat.md"), "## Messages that", "## Control requests").matchAll(/^\| (`.*?) \| (.*) \|$/gmu),
    ];
    const told = new Map<string, boolean>();
    for (const [, cell = "", says = ""] of rows)
      for (const [, name = ""] of cell.matchAll(/`([a-z_/]+)`/gu))
        told.set(name.split("/").at(-1) ?? "", !says.startsWith("never"));
    expect(subtypes.filter((name) => !told.has(name))).toEqual([]);
    const folder = join(import.meta.dirname, "../../../src");
    const protocol = readdirSync(join(folder, "protocol")).map((name) => `protocol/${name}`);
    const sources = [...protocol.filter((name) => /sdk|context/u.test(name)), ...wireFiles];
    const code = sources.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    const isMade = (name: string): boolean => new RegExp(`"${name}"`, "u").test(code);
    expect([...told].filter(([name, isSent]) => isMade(name) !== isSent).map(([name]) => name)).toEqual([]);
  });

  test("a hook event exists, or docs/compat.md says that it does not", () => {
    const hooks = conventionOf("01-hooks.md") ?? "";
    const rows = firstCells(section(hooks, "### 1.1", "### 1.2")).flatMap((cell) => cell.match(/[A-Z]\w+/gu) ?? []);
    const events = [...new Set(rows)].filter((name) => name !== "Event");
    expect(events.length).toBeGreaterThan(25);
    const others = new Set(page("compat.md").match(/`[A-Z]\w+`/gu));
    const isTold = (name: string): boolean =>
      (hookEvents as readonly string[]).includes(name) || others.has(`\`${name}\``);
    expect(events.filter((name) => !isTold(name))).toEqual([]);
  });

  test("our own tables contain only names of the convention or of pawl", () => {
    const all = `${sdk ?? ""}${wire ?? ""}`;
    const camel = (name: string): string => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
    const options = [...page("sdk.md").matchAll(/^\| `(\w+)` \|/gmu)].map(([, name = ""]) => name);
    expect(options.filter((name) => !all.includes(name))).toEqual([]);
    const requests = controlTable.map(({ name }) => name);
    // Adapters for editors ask for it, and the published types do not have it.
    const unpublished = ["generate_session_title"];
    expect(requests.filter((name) => !all.includes(name) && !all.includes(camel(name)))).toEqual(unpublished);
    const flags = section(page("compat.md"), "## Flags of such programs", "| all others").match(flag) ?? [];
    const taken = new Set(mainCommand(() => undefined).options.flatMap((option) => option.flags.match(flag) ?? []));
    expect(flags.filter((name) => !taken.has(name) && name !== "--help")).toEqual([]);
  });

  test("a query method is named in docs/sdk.md, or its request has a row", () => {
    const text = section(sdk ?? "", "### 2.3", "### 2.4");
    const names = [...text.matchAll(/`(\w+)\(/gu)].map(([, name = ""]) => name);
    const inWire = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    const told = `${page("sdk.md").slice(page("sdk.md").indexOf("## Methods"))}${page("compat.md")}`;
    expect(names.length).toBeGreaterThan(25);
    expect(names.filter((name) => !told.includes(`\`${name}\``) && !told.includes(`\`${inWire(name)}\``))).toEqual([]);
  });
});
