import { describe, expect, test } from "vitest";
import {
  isEndedAtTimeout,
  meaningOfExitCodeOne,
  readOnlyKind,
  shownFile,
} from "../../src/tools/shell/command-facts.ts";
import { readCommandLine } from "../../src/tools/shell/command-line.ts";
import { commandEnvironment, isCredentialName, scrubEnvironment } from "../../src/tools/shell/environment.ts";

describe("readCommandLine", () => {
  test.each<[string, string[][], string[]]>([
    ["ls -la", [["ls", "-la"]], []],
    ["a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]], ["&&", "||", ";", "|", "&"]],
    [`echo 'a b' "c d" e\\ f`, [["echo", "a b", "c d", "e f"]], []],
    ["echo $(ls; rm x) `a|b`", [["echo", "$(ls; rm x)", "`a|b`"]], []],
    [`echo "$(echo ")")" x`, [["echo", '$(echo ")")', "x"]], []],
    ["A=1 B=2 cmd x=3", [["cmd", "x=3"]], []],
    ["cmd >out 2>&1 <in arg", [["cmd", "arg"]], []],
    ["a \\\n b # comment ; c\nd", [["a", "b"], ["d"]], ["\n"]],
    ["{ a; }", [["a"]], ["{", ";", "}"]],
    ["! a ! b { }", [["a", "!", "b", "{", "}"]], ["!"]],
    ["echo {a,b} #x", [["echo", "{a,b}"]], []],
  ])("splits %j into its commands and operators", (text, commands, operators) => {
    const line = readCommandLine(text);
    expect(line?.commands.map(({ words }) => words)).toEqual(commands);
    expect(line?.operators).toEqual(operators);
  });

  test.each(["echo 'open", 'echo "open', "echo $(open", "echo `open", "cat <<E\nx\nE", "", "  # only"])(
    "returns undefined for %j",
    (text) => {
      expect(readCommandLine(text)).toBeUndefined();
    },
  );

  test("takes time linear in the text", () => {
    const started = process.cpuUsage();
    for (const text of ["$(".repeat(50_000), "'".repeat(99_999), "a ".repeat(50_000), "\\".repeat(99_999)])
      readCommandLine(text);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
  });
});

test.each([
  ["cat a.txt", { path: "a.txt", isWhole: true }],
  ["cat 'a b'", { path: "a b", isWhole: true }],
  ["cat -n a.txt", { path: "a.txt", isWhole: false }],
  ["head -n 5 a.txt", { path: "a.txt", isWhole: false }],
  ["sed -n 1,5p a.txt", { path: "a.txt", isWhole: false }],
  ["grep foo a.txt", { path: "a.txt", isWhole: false }],
  ["cat a b", undefined],
  ["sed s/a/b/ a.txt", undefined],
  ["grep foo", undefined],
  ["cat a.txt | head", undefined],
  ["cat $X", undefined],
  ["cat *", undefined],
])("%j shows the file %j", (command, file) => {
  expect(shownFile(command)).toEqual(file);
});

test("find does not run beside other calls if the shell may turn a word into an option", () => {
  for (const word of ["-{delete,x}", "{a,-delete}", "{,x}'-delete'", "{'\n',-delete}", "{a,*}", "-d?lete", "[-]delete"])
    expect(readOnlyKind(`find . ${word}`), word).toBeUndefined();
  for (const word of ["{src,my-lib}", "src/*-x", "'{a,-delete}'", "x{,-delete}"])
    expect(readOnlyKind(`find ${word} -name '*.ts'`), word).toBe("beside");
});

test("sed runs beside other calls only if it just prints lines by number", () => {
  for (const command of ["sed -n 1,50p a.ts", "sed -n '$p' a.ts b.ts"]) expect(readOnlyKind(command)).toBe("beside");
  for (const command of ["sed -i 1p a.ts", "sed -n 1p -i a.ts", "sed -n 1wb a.ts", "sed -n 1e a.ts", "sed -n p;wb a"])
    expect(readOnlyKind(command), command).toBeUndefined();
});

test("exit code 1 has a special meaning only if no earlier command may have failed", () => {
  expect(meaningOfExitCodeOne("grep x y", true)).toBe("no matches found");
  expect(meaningOfExitCodeOne("cd x && grep x y", true)).toBeUndefined();
  expect(meaningOfExitCodeOne("cd x && grep x y", false)).toBe("no matches found");
  expect(meaningOfExitCodeOne("git diff --exit-code", false)).toBe("there are differences");
  expect(meaningOfExitCodeOne("which node deno", false)).toBe("not every program was found");
  expect(meaningOfExitCodeOne("git push", false)).toBeUndefined();
  expect(meaningOfExitCodeOne("cmp a b", false)).toBe("the files differ");
  expect(meaningOfExitCodeOne("readlink a", false)).toBe("no link is there");
  expect(meaningOfExitCodeOne("diff <(sort a) <(sort 'b)' | uniq)", false)).toBe("the files differ");
  expect(meaningOfExitCodeOne("diff <(nowhere) b", true)).toBeUndefined();
  expect(meaningOfExitCodeOne("tee >(grep x) < a; diff a <(b", false)).toBeUndefined();
});

test("exit code 1 has no special meaning if an earlier command can have ended with it without an error on stderr", () => {
  const unclear = [
    "[ -f a ] && grep x a",
    "npx eslint . && grep -q x y",
    "[ -f a ] || lint && grep x y",
    "{ lint; ls; } && grep x y",
    "[ -f a ] && { cd b; grep x a; }",
    "[ -f a ] || exit 1; grep x a",
    "set -o pipefail; npm test | grep x",
    "set -e\nlint\ngrep x y",
  ];
  for (const command of unclear) expect(meaningOfExitCodeOne(command, false), command).toBeUndefined();
  for (const command of ["lint; grep x y", "lint && true; cd a && grep x y", "[ -f a ] || grep x y", "lint | grep x"])
    expect(meaningOfExitCodeOne(command, false), command).toBe("no matches found");
});

test("exit code 1 has no special meaning after a ! operator, but has one if ! is an argument", () => {
  const turned = [
    "! grep -q x y",
    "cd a && ! test -f x",
    "{ ! diff a b; }",
    "! a | grep x;",
    "! test -d a && grep x y",
  ];
  for (const command of [...turned, "! (cd a; grep x y)", "a; ! { grep x y; }", "! a\n! grep x y\n"])
    expect(meaningOfExitCodeOne(command, false), command).toBeUndefined();
  for (const command of ["[ ! -f x ]", "test ! -f x"])
    expect(meaningOfExitCodeOne(command, false), command).toBe("the condition is false");
  // Of an earlier command it says nothing.
  for (const command of ["! test -d a; grep x y", "! test -d a\ncat a | grep x", "! test -d a || grep x y;"])
    expect(meaningOfExitCodeOne(command, false), command).toBe("no matches found");
  expect(meaningOfExitCodeOne("find . ! -name x", true)).toBe("some folders could not be read");
  expect(readOnlyKind("find . ! -name x")).toBe("beside");
  expect(readOnlyKind("find . ! -name x -delete")).toBeUndefined();
});

test("only commands that wait, use git or cannot be parsed are ended at their timeout", () => {
  expect(["sleep 5", "cd x && git push", "git fetch; sleep 1", "echo 'open"].filter(isEndedAtTimeout)).toHaveLength(4);
  expect(["npm start", "while true; do sleep 1; done", "sleep 5; npm test", "cd x"].filter(isEndedAtTimeout)).toEqual(
    [],
  );
});

describe("the environment of commands", () => {
  test.each([
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "DB_PASSWORD",
    "PGPASSWORD",
    "CLIENT_SECRET",
    "SSH_PRIVATE_KEY",
    "npm_config__auth",
    "npm_config_//registry.npmjs.org/:_authToken",
    "MY_APIKEY",
    "DOCKER_AUTH",
    "SECRET_KEY_BASE",
    "MYSQL_PWD",
    "SMTP_PASS",
    "CI_JOB_JWT",
    "DOCKER_AUTH_CONFIG",
    "SSHPASS",
    "JWT",
  ])("does not contain the credential %s", (name) => expect(isCredentialName(name)).toBe(true));

  test.each([
    "PATH",
    "HOME",
    "LANG",
    "SSH_AUTH_SOCK",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AWS_REGION",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "MAX_OUTPUT_TOKENS",
    "KEYBOARD",
    "AUTHOR",
    "TOKENIZERS_PARALLELISM",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "GIT_AUTHOR_NAME",
    "PATHEXT",
    "PWD",
    "OLDPWD",
    "COMPASS",
  ])("contains %s, which is no credential", (name) => expect(isCredentialName(name)).toBe(false));

  test("contains credentials that are passed by name, but no variables that change the shell", () => {
    const environment = {
      A_TOKEN: "1",
      B_TOKEN: "2",
      BASH_ENV: "x",
      "BASH_FUNC_f%%": "() { :; }",
      CDPATH: "/",
      PATH: "/bin",
      GONE: undefined,
    };
    expect(scrubEnvironment(environment, ["A_TOKEN", "BASH_ENV"])).toEqual({ A_TOKEN: "1", PATH: "/bin" });
  });

  test("does not tell pinentry the terminal of the conversation", () => {
    expect(commandEnvironment({ GPG_TTY: "/dev/pts/3", PATH: "/bin" }, ":tag:")).not.toHaveProperty("GPG_TTY");
  });
});
