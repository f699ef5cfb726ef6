import fc from "fast-check";
import { CORE_SCHEMA, load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { readFrontMatter } from "../../src/knowledge/front-matter.ts";
import { plainFields } from "../../src/knowledge/plain-fields.ts";

const fieldsOf = async (head: string) => (await readFrontMatter(`---\n${head}\n---\nbody\n`)).fields;

describe("front matter", () => {
  test("has the fields between two lines of dashes, and the body with its line", async () => {
    const read = await readFrontMatter("---\r\nname: one\r\ntags: [a, b]\r\n---\r\n# Body\r\n");
    expect({ ...read.fields }).toEqual({ name: "one", tags: ["a", "b"] });
    expect([read.body, read.bodyLine, read.lineOf("tags"), read.problems]).toEqual(["# Body\n", 5, 3, []]);
  });

  test("is empty if there is none, or if it is never closed, which is reported", async () => {
    expect(await readFrontMatter("# Title\n---\n")).toMatchObject({ body: "# Title\n---\n", problems: [] });
    const open = await readFrontMatter("---\nname: x\n");
    expect(open).toMatchObject({ body: "---\nname: x\n", problems: [{ line: 1 }] });
    expect(Object.keys(open.fields)).toEqual([]);
  });

  test("reads a field that is not YAML as text, and the others normally", async () => {
    const read = await readFrontMatter(
      '---\nname: board\ndescription: Draws it: the wanted-poster\n  board, all of it\ntools: ["Read", "Edit"]\n---\nx',
    );
    expect({ ...read.fields }).toEqual({
      name: "board",
      description: "Draws it: the wanted-poster board, all of it",
      tools: ["Read", "Edit"],
    });
    expect(read.problems).toEqual([
      {
        line: 3,
        reason: '"description" is not YAML (text with ": " in it needs quotes), so it was read as plain text',
      },
    ]);
  });

  test("reports nothing if only an argument hint is not YAML: several words in brackets are how people write it", async () => {
    const hint = "[pr-number] [priority] (default: low)";
    const read = await readFrontMatter(`---\nallowed-tools: Bash(git:*), Read\nargument-hint: ${hint}\n---\nx`);
    expect({ ...read.fields }).toEqual({ "allowed-tools": "Bash(git:*), Read", "argument-hint": hint });
    expect(read.problems).toEqual([]);
    const other = await readFrontMatter(`---\nargument-hint: ${hint}\ntools: [Read\n---\nx`);
    expect(other.problems).toMatchObject([
      { line: 3, reason: expect.stringMatching(/^"tools" is not YAML/u) as string },
    ]);
    const stray = await readFrontMatter(`---\nargument-hint: ${hint}\nand more\n---\nx`);
    expect(stray.problems).toMatchObject([{ reason: expect.stringContaining("front matter is not YAML") as string }]);
  });

  test("reports a repeated restriction even beside a field that is not YAML, but not repeated speakers of a dialogue", async () => {
    const talk = "user: Look\nassistant: I do\n";
    const twice = "disallowed-tools: Bash\ndisallowed-tools: Edit";
    const read = await readFrontMatter(`---\nname: x\ndescription: Draws it: all\n${talk}${talk}${twice}\n---\n`);
    expect(read.problems).toEqual([
      { line: 3, reason: expect.stringContaining("not YAML") },
      { line: 9, reason: '"disallowed-tools" appears twice; the last one counts' },
    ]);
  });

  test("may close a list at the beginning of a line, even beside a field that is not YAML", async () => {
    const tools = 'tools: [\n  "Read",\n  "Edit"\n]';
    const read = await readFrontMatter(`---\nname: x\n${tools}\nmodel: opus\n---\n`);
    expect({ ...read.fields }).toEqual({ name: "x", tools: ["Read", "Edit"], model: "opus" });
    expect(read.problems).toEqual([]);
    expect((await fieldsOf(`description: Draws it: all\n${tools}`))["tools"]).toEqual(["Read", "Edit"]);
  });

  test("and the body lose invisible characters, which is reported, except in a name", async () => {
    const hidden = "\u{e0065}\u200b";
    const read = await readFrontMatter(
      `---\nname: a${hidden}b\ndescription: one${hidden}\ntools: [x]\n---\nbody\n${hidden}and more\n`,
    );
    expect({ ...read.fields }).toEqual({ name: `a${hidden}b`, description: "one", tools: ["x"] });
    expect(Object.getPrototypeOf(read.fields)).toBeNull();
    expect(read.body).toBe("body\nand more\n");
    const reason = "it contains invisible characters (U+E0065, U+200B), which were removed";
    expect(read.problems).toEqual([{ line: 3, reason }]);
    expect((await readFrontMatter(`one\ntwo${hidden}`)).problems).toEqual([{ line: 2, reason }]);
  });

  test.each([
    ["an alias", "a: &x [1, 2]\nb: *x"],
    ["code", "a: !!js/function 'function () {}'"],
    ["depth", `a: ${"[".repeat(200)}`],
    ["a list", "- 1\n- 2"],
    ["a tab", "\ta: 1"],
    ["more than 64 KiB", `a: ${"x".repeat(70_000)}`],
  ])("rejects %s with one problem, and keeps the body", async (_name, head) => {
    const { problems } = await readFrontMatter(`---\n${head}\n---\nbody`);
    expect(problems).toHaveLength(1);
  });

  test("treats __proto__ as an ordinary field", async () => {
    const fields = await fieldsOf("__proto__:\n  allowed: true\nx: 1");
    expect(Object.getPrototypeOf(fields)).toBeNull();
    expect(fields["allowed"]).toBeUndefined();
  });

  // Seen: without the parser, the last character was lost.
  test("keeps a no-break space at the end of a value, whether the YAML parser reads it or not", async () => {
    expect(await fieldsOf("a: b\u00a0 ")).toEqual({ a: "b\u00a0" });
    expect(await fieldsOf("a: b\u00a0\nc: [1]")).toEqual({ a: "b\u00a0", c: [1] });
  });

  test("gives the same result without the YAML parser as with it", () => {
    // Values that begin with a letter, or they all need the parser, and go on with what YAML may read in its own way.
    const start = fc.constantFrom(..."a|Read|é|x1|true|false|True|null|yes|off|no|y|Inf|e3".split("|"));
    const rest = fc.constantFrom(
      ...`a|true|1|.|-|_|,|/|(|)|=|+|~|'|"|[|]|*|&|!|%|@|#| #|:|: | | |  |é`.split("|"),
      "|",
      "\t",
      "\u00a0",
    );
    const word = fc.tuple(start, fc.array(rest, { maxLength: 4 })).map(([first, more]) => first + more.join(""));
    const line = fc
      .tuple(fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/u), word)
      .map(([name, value]) => `${name}: ${value}`);
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const plain = plainFields(lines);
        if (plain !== undefined) read += 1;
        if (plain === undefined || lines.every((each) => each.trim() === "")) return;
        expect({ ...plain }).toEqual(load(lines.join("\n"), { schema: CORE_SCHEMA }));
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(200);
  });
});

test("reads front matter with very many blank lines or spaces quickly", async () => {
  const files = Array.from({ length: 20 }, () => `---\na: [1]\n${"\n".repeat(65_000)}---\n`);
  files.push(...Array.from({ length: 20 }, () => `---\na: x${" ".repeat(65_000)}y\n---\n`));
  for (const text of files) expect(Object.keys((await readFrontMatter(text)).fields)).toEqual(["a"]);
});
