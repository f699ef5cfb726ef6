// What messages tell people to use exists: the command accepts the flags they name, and the package contains the files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
/** These speak to other programs, or have what others said. */
const others =
  /^(?:model\/words\/|permissions\/(?:files|git|given|options|reads|rules|sandbox|shell)\/|tools\/search\/|knowledge\/.*git|session\/worktrees\/|cli\/not-built)/u;

interface Line {
  place: string;
  text: string;
}

function literals(): Line[] {
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts") && !others.test(name))
    .flatMap((name) =>
      readFileSync(join(root, "src", name), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\*|\/[/*])/u.test(line))
        .flatMap((line) => [...line.matchAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/gu)])
        .map(([literal]) => ({ place: name, text: literal.slice(1, -1) })),
    );
}

const all = literals();
const declared = new Set(
  all
    .filter(
      ({ place, text }) => place.startsWith("cli/") && /^(?:-\w, )?--[\w-]+(?:, --[\w-]+)*(?: [<[].*)?$/u.test(text),
    )
    .flatMap(({ text }) => text.match(/--[A-Za-z][\w-]*/gu) ?? []),
);
for (const common of ["--help", "--version"]) declared.add(common);

test("every flag that a message names exists", () => {
  const sentences = all.filter(({ text }) => /[a-z] \S/u.test(text));
  const unknown = sentences.flatMap(({ place, text }) =>
    [...text.matchAll(/(?<![\w-])--[A-Za-z][A-Za-z-]+/gu)]
      .filter(([flag]) => !declared.has(flag))
      .map(([flag]) => `${place}: ${flag}`),
  );
  expect(unknown).toEqual([]);
  expect(declared.size).toBeGreaterThan(60);
});

function namedFiles(text: string): string[] {
  return text.match(/(?<![\w/-])(?:docs|schema|examples)\/[\w-]+\.\w+/gu) ?? [];
}

test("every file that a message names is part of the package", () => {
  // No message names one at present.
  expect(namedFiles("See docs/hooks.md, or https://a.example/docs/b.md.")).toEqual(["docs/hooks.md"]);
  const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
  const named = all.flatMap(({ place, text }) => namedFiles(text).map((name) => ({ place, name })));
  expect(named.filter(({ name }) => !files.some((folder) => name.startsWith(`${folder}/`)))).toEqual([]);
});
