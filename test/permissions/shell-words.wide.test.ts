import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCommandPattern } from "../../src/permissions/rules/command-pattern.ts";
import { commandFacts, matchCommandFacts } from "../../src/permissions/rules/command-rules.ts";
import { readCommand, readPlain } from "../../src/permissions/shell/words.ts";

const zap = parseCommandPattern("zap *");

function finds(command: string): "yes" | "maybe" | "no" {
  if (zap === null) throw new Error("no pattern");
  return matchCommandFacts(zap, commandFacts(command));
}

/** Each runs `zap x`, whatever it looks like; a real bash says so below. */
const running = [
  "zap x",
  " zap x ",
  "true; zap x",
  "true && zap x",
  "false || zap x",
  "true | zap x",
  "true & zap x",
  "true |& zap x",
  "true\nzap x",
  "true\r\nzap x",
  "za\\\np x",
  "true \\\n; zap x",
  "z\\ap x",
  "'zap' x",
  '"zap" x',
  "z'a'p x",
  'z""ap x',
  "$'zap' x",
  "$'\\x7aap' x",
  "$'\\172ap' x",
  '$"zap" x',
  "(zap x)",
  "( (zap x) )",
  "{ zap x; }",
  "! zap x",
  "$(zap x)",
  "echo $(zap x)",
  "echo `zap x`",
  'echo "$(zap x)"',
  'echo "`zap x`"',
  'echo "`za\\"\\"p x`"',
  "echo $(echo $(zap x))",
  "echo `echo \\`zap x\\``",
  "echo ${none:-$(zap x)}",
  'echo "${none:-$(zap x)}"',
  "echo ${none:-`zap x`}",
  "echo $((1 + $(zap x; echo 1)))",
  "echo $((1<<2))\nzap x\n2",
  "((1<<2))\nzap x\n2",
  "a=$(zap x)",
  "a=1 zap x",
  "a=1 b=2 zap x",
  "a+=1 zap x",
  "a=(1 2); zap x",
  "a=($(zap x))",
  ">/dev/null zap x",
  "2>&1 zap x",
  "zap x >/dev/null 2>&1",
  "zap x &>/dev/null",
  "cat </dev/null; zap x",
  "cat <(zap x)",
  "true > >(zap x)",
  "cat <<< $(zap x)",
  "cat <<EOF\n$(zap x)\nEOF",
  "cat <<EOF\ndon't\nEOF\nzap x",
  "cat <<'EOF'\ndon't\nEOF\nzap x",
  "cat <<-EOF\n\tit's\n\tEOF\nzap x",
  "cat <<A <<B\n'\nA\n'\nB\nzap x",
  "if true; then zap x; fi",
  "if zap x; then true; fi",
  "while true; do zap x; break; done",
  "until zap x; do true; done",
  "for i in 1; do zap x; done",
  "for ((i=0;i<1;i++)); do zap x; done",
  "case a in a) zap x;; esac",
  'echo "$(case a in a) zap x;; esac)"',
  "case a in (a) zap x;; esac",
  "f() { zap x; }; f",
  "function f { zap x; }; f",
  "f() (zap x); f",
  "time zap x",
  "command zap x",
  "exec zap x",
  "env zap x",
  "env A=b zap x",
  'env -i PATH="$PATH" zap x',
  "env -S 'zap x'",
  "nice zap x",
  "nice -n 5 zap x",
  "nohup zap x",
  "timeout 5 zap x",
  "timeout -k 5 5 zap x",
  "timeout -s KILL 5 zap x",
  "setsid -w zap x",
  "stdbuf -oL zap x",
  "xargs zap </dev/null",
  "echo x | xargs zap",
  "echo x | xargs -I {} zap {}",
  "eval zap x",
  "eval 'zap x'",
  'eval "zap x"',
  "sh -c 'zap x'",
  "bash -c 'zap x'",
  "bash -ec 'zap x'",
  "bash --norc -c 'zap x'",
  "bash -o pipefail -c 'zap x'",
  "echo 'zap x' | bash",
  "echo 'zap x' | sh -s",
  "bash <<EOF\nzap x\nEOF",
  "bash <<< 'zap x'",
  "sh -c \"sh -c 'zap x'\"",
  "trap 'zap x' EXIT",
  "shopt -s expand_aliases\nalias y='zap x'\ny",
  "find . -maxdepth 0 -exec zap {} \\;",
  "find . -maxdepth 0 -exec zap {} +",
  "find . -maxdepth 0 -exec env zap {} ';'",
  "p=zap; $p x",
  "{zap,x}",
  "z{ap,ip} x",
  "$(echo zap) x",
  "[[ -n $(zap x) ]]",
  '[ -n "$(zap x)" ] || true',
  "[[ a < b ]] && zap x",
  "declare -i n; n='a[$(zap x)]'",
  "true # it's\nzap x",
  "echo a#b; zap x",
  "coproc zap x",
  "let 'n=a[$(zap x)]'",
];

describe("a command that runs the denied program", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pawl-zap-"));
    writeFileSync(join(folder, "zap"), `#!/bin/sh\n: > "${folder}/ran"\n`);
    chmodSync(join(folder, "zap"), 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(running)("is found: %j", (command) => {
    rmSync(join(folder, "ran"), { force: true });
    try {
      execFileSync("bash", ["--noprofile", "--norc", "-c", `${command}\nwait`], {
        cwd: folder,
        env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` },
        stdio: "ignore",
      });
    } catch (error) {
      // The exit code says nothing here; the mark does.
      expect(error).toBeInstanceOf(Error);
    }
    expect(existsSync(join(folder, "ran")), "bash runs it").toBe(true);
    expect(finds(command)).not.toBe("no");
  });

  test("is found for certain, except in the forms that only a shell can resolve", () => {
    const unsure = running.filter((command) => finds(command) === "maybe");
    expect(unsure).toEqual(["p=zap; $p x", "{zap,x}", "z{ap,ip} x", "$(echo zap) x"]);
  });

  test("is found by its path, in capitals, and in wrappers that are not on this machine", () => {
    for (const command of [
      "/usr/local/bin/zap x",
      "./zap x",
      "ZAP x",
      "sudo zap x",
      "sudo -u root zap x",
      "doas zap x",
      "watch 'zap x'",
      "ssh host 'zap x'",
      "flock /tmp/l zap x",
    ]) {
      expect(finds(command), command).toBe("yes");
    }
  });
});

describe("a wrapper around the denied program", () => {
  const single = (command: string): string => `'${command.replaceAll("'", String.raw`'\''`)}'`;
  const around: ((command: string) => string)[] = [
    (command) => `true; ${command}`,
    (command) => `echo "a b" && ${command} | cat`,
    (command) => `(${command}\n)`,
    (command) => `echo $(${command}\n)`,
    (command) => `echo "x$(${command}\n)y"`,
    (command) => `if true; then\n${command}\nfi`,
    (command) => `cat <<'EOF'\nit's "odd $( \nEOF\n${command}`,
    (command) => `sh -c ${single(command)}`,
    (command) => `eval ${single(command)}`,
    (command) => `timeout 5 bash -c ${single(command)}`,
    (command) => `case a in b) true;; a)\n${command}\n;; esac`,
    (command) => `{ ${command}\n} 2>&1`,
    (command) => `a='it is' b=c; ${command}`,
    (command) => `echo 'a"b' # it's\n${command}`,
    (command) => `echo $((2 << 1)) "\\"" '\\'; ${command}`,
  ];

  test("does not hide it, however deeply nested", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...around), { maxLength: 4 }), (layers) => {
        const command = layers.reduce((inner, layer) => layer(inner), "zap x");
        expect(finds(command), command).not.toBe("no");
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a command that does not run the denied program", () => {
  test.each([
    "npm test",
    "npm test 2>&1 | tail -20",
    "echo hello && git status",
    "for f in *.ts; do wc -l $f; done",
    "git log --format='%h %s' | head",
    'grep -rn "foo|bar" src | sort | uniq -c',
    "ls -la > out.txt",
    "zapper x",
    "echo zap x",
    "timeout 5 grep zap file",
    "cat <<'EOF' > notes.md\nzap x\nEOF",
    'git commit -m "it\'s done; zap x"',
  ])("is told apart: %j", (command) => {
    expect(finds(command)).toBe("no");
  });
});

describe("a command whose program only the shell knows", () => {
  test.each(["$X y", "`x` y", 'eval "$X"', 'bash -c "$X"', "curl x | sh", "'open", 'echo "$(', "$$x", "\u202ezap"])(
    "may be any program: %j",
    (command) => {
      expect(finds(command)).toBe("maybe");
    },
  );

  test("may not be any program if its known beginning differs", () => {
    expect(finds("ls $X")).toBe("no");
    expect(finds("zap$X")).toBe("maybe");
  });
});

const textsOf = (words: ReturnType<typeof readPlain>) => words?.map(({ text }) => text);

describe("the words of a plain command", () => {
  test.each([
    ["npm test", ["npm", "test"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    ['npm run "build"', ["npm", "run", "build"]],
    ["  ls   -l ", ["ls", "-l"]],
    ["grep 'a|b' x", ["grep", "a|b", "x"]],
    ["./run.sh --a=b,c", ["./run.sh", "--a=b,c"]],
    ["echo naïve", ["echo", "naïve"]],
  ])("are read: %s", (command, words) => {
    expect(textsOf(readPlain(command))).toEqual(words);
  });

  test.each([
    "a;b",
    "a&b",
    "a|b",
    "a\nb",
    "a>b",
    "a<b",
    "a (b)",
    "a $b",
    'a "$b"',
    "a `b`",
    'a "`b`"',
    "a=b c",
    "a b\\c",
    "a 'b",
    'a "b',
    "#a",
    "a #b",
    "~/a b",
    "a* b",
    "[ a ]",
    "{ a",
    "! a",
    "if a",
    "for a",
    "a !b",
    'a "!b"',
    'a "\\b"',
    "a\tb",
    "a\rb",
    "a\u2028b",
    "a\u00a0b",
    "a\u200bb",
    "a \u202eb",
    "a 'b\nc'",
    "",
    " ",
    "'a' b",
    '"a" b',
    "a 'b\u0000'",
    `a ${"b".repeat(10_000)}`,
    "a\\",
    "coproc a",
    "é b",
  ])("are not read if the command is not plain: %j", (command) => {
    expect(readPlain(command)).toBeUndefined();
  });

  test("are read the same with common characters only and beside other characters", () => {
    const quotedOften = fc.string({
      unit: fc.constantFrom(..."'\"'\" a/.-_=*?[]{}~#$`\\!;&|<>\n\t\u007f\u0001Z9".split("")),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.oneof(quotedOften, fc.string({ maxLength: 12 })), (rest) => {
        const alone = readPlain(`p ${rest} e`);
        const beside = readPlain(`p ${rest} \u00e9`);
        expect(beside?.slice(0, -1)).toEqual(alone?.slice(0, -1));
        expect(readCommand(`p ${rest} \u00e9`).understood).toBe(readCommand(`p ${rest} e`).understood);
        expect(readCommand(`p ${rest} \u00e9`).opaque).toBe(readCommand(`p ${rest} e`).opaque);
      }),
      { numRuns: 3_000 },
    );
  });

  test("are read as bash reads them", () => {
    const word = fc.oneof(
      fc.stringMatching(/^[\w@%+=:,./^-]{1,6}$/),
      fc.stringMatching(/^[\w $`;&|<>"*]{0,6}$/).map((text) => `'${text}'`),
      fc.stringMatching(/^[\w ;&|<>'*]{0,6}$/).map((text) => `"${text}"`),
      fc.string({ maxLength: 4 }),
    );
    const commands = fc.array(
      fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(commands, (parts) => {
        const plain = readPlain(["printf", "%s\\0", ...parts].join(" ").replace("%s\\0", "'%s\\0'"));
        const safe = readPlain(["p", ...parts].join(" "));
        if (safe?.every(({ kind }) => kind === "literal") !== true) return;
        expect(textsOf(plain)?.slice(2)).toEqual(textsOf(safe)?.slice(1));
        const out = execFileSync("bash", ["--norc", "-c", `printf '%s\\0' x ${parts.join(" ")}`], { encoding: "utf8" });
        expect(out.split("\0").slice(1, -1)).toEqual(textsOf(safe)?.slice(1));
      }),
      { numRuns: 60 },
    );
  });
});

describe("reading a command", () => {
  test.each([
    ["nested substitutions", '"$('.repeat(5_000)],
    ["unterminated arithmetic", "$((".repeat(50_000)],
    ["quotes", "'a ".repeat(50_001)],
    ["backquotes", "`".repeat(50_001)],
    ["wrappers", "sudo -u ".repeat(10_000)],
    ["words", "a ".repeat(200_000)],
    ["here-documents", "cat <<A\n".repeat(5_000)],
    ["wrapped strings", "sudo env 'sudo env a b' ".repeat(2_000)],
    ["braces", "${".repeat(50_000)],
    ["what find is given", `find ${"$a ".repeat(60_000)}`],
    ["what find runs", `find ${"-x a \\; ".repeat(45_000)}`],
    ["many variables", `find ${Array.from({ length: 30_000 }, (_, at) => `$a${at}`).join(" ")}`],
    ["options with variables", `xargs ${"-n $a ".repeat(30_000)}`],
    ["wrappers that read their input", "xargs ".repeat(20_000)],
    ["unterminated braces", "${a".repeat(50_000)],
    ["shells", "sh -c 'sh -c \"sh -c a\"' ;".repeat(4_000)],
  ])("takes bounded time: %s", (_name, command) => {
    // Measures only the work of this process, not of the rest of the machine.
    const start = process.cpuUsage();
    finds(command);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(8_000);
  });

  test("never throws, whatever the text", () => {
    const bits = [
      "'",
      '"',
      "`",
      "$(",
      "$((",
      "${",
      "}",
      ")",
      "(",
      "<<",
      "<",
      ">",
      "&",
      "|",
      ";",
      "\n",
      "\\",
      " ",
      "a",
      "=",
      "#",
      "case",
      "esac",
      "-c",
      "sh",
      "$'",
      "{",
      "*",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...bits), { maxLength: 40, size: "max" }), (parts) => {
        expect(["yes", "no", "maybe"]).toContain(finds(parts.join("")));
      }),
      { numRuns: 2_000 },
    );
  });
});
