import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  countsFromZero,
  fillCommand,
  fillPlaceholders,
  splitArguments,
  takesArguments,
} from "../../src/knowledge/skill-arguments.ts";

const places = (argument: string, more: { names?: string[]; zero?: boolean } = {}) => ({
  argument,
  names: more.names ?? [],
  variables: { CLAUDE_SKILL_DIR: "/s/x" },
  countsFromZero: more.zero ?? false,
});

describe("arguments", () => {
  test.each([
    ['one "two words" three', ["one", "two words", "three"]],
    [String.raw`a\ b 'c "d"' ""`, ["a b", 'c "d"', ""]],
    ["  'open", ["open"]],
    [String.raw`'a\b' "a\"b" a\ `.trimEnd(), [String.raw`a\b`, 'a"b', String.raw`a\ `.trimEnd()]],
    ["", []],
  ])("split %j into words like a shell", (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  test.each([
    ["Fix $ARGUMENTS now", "12 high", "Fix 12 high now"],
    ["Fix $1 at $2", "12 high", "Fix 12 at high"],
    ["Fix $1, not $100 or $1,000; $3 stays", "12", "Fix 12, not $100 or $1,000; $3 stays"],
    [String.raw`Costs \$1 in ${"${CLAUDE_SKILL_DIR}"}/x and $HOME`, "a", "Costs $1 in /s/x/x and $HOME"],
    ["$1", "'$2 $ARGUMENTS' b", "$2 $ARGUMENTS"],
  ])("fill the placeholders of %j", (text, argument, filled) => {
    expect(fillPlaceholders(text, places(argument))).toBe(filled);
  });

  test("count from zero if the text does, and fill named placeholders", () => {
    expect(countsFromZero("$0 and $1")).toBe(true);
    expect(countsFromZero("$ARGUMENTS[1]")).toBe(true);
    expect(countsFromZero("$1 of $ARGUMENTS")).toBe(false);
    expect(takesArguments("all of $ARGUMENTS", places(""))).toBe(true);
    expect(fillPlaceholders("$0 and $1 and $ARGUMENTS[1]", places("a b", { zero: true }))).toBe("a and b and b");
    expect(fillPlaceholders("$file and $pages.", places("a", { names: ["file", "pages"] }))).toBe("a and .");
    expect(takesArguments("$file", places("a", { names: ["file"] }))).toBe(true);
    expect(takesArguments("$file costs $100", places("a"))).toBe(false);
  });

  test("fill placeholders with names in capitals, but no shell variables", () => {
    const named = places("12 main", { names: ["ISSUE", "Branch"] });
    expect(fillPlaceholders("$ISSUE on $Branch in $HOME, $ARGUMENTS", named)).toBe("12 on main in $HOME, 12 main");
    expect(takesArguments("$ISSUE", named)).toBe(true);
    expect(fillCommand('echo "$ISSUE" $HOME', named)).toBe('echo "12" $HOME');
  });

  // Seen: a skill that named a price lost what was typed, and "$0.10" in it moved all others by one.
  test("do not fill prices, escaped dollar signs and positions without an argument", () => {
    for (const price of ["$0.10 a GB", "$0,5", String.raw`\$0`, "$05x"]) expect(countsFromZero(price)).toBe(false);
    expect(takesArguments(String.raw`$5 each, or $2, \$1 and $12.50`, places("one"))).toBe(false);
    expect(takesArguments("$5 each, or $2", places("one two"))).toBe(true);
    expect(takesArguments("$ARGUMENTS[1]", places("one", { zero: true }))).toBe(false);
  });

  // Seen in skills: the backslash was dropped everywhere, so a command, a pattern or a formula reached the model as another one.
  test("keep a backslash before a dollar sign where no placeholder follows", () => {
    for (const text of [
      String.raw`"\$(cat list)" \$TOKEN`,
      String.raw`/\$(\d+)/g, \${name}`,
      String.raw`Latent\\$z$ \$$ \$`,
    ])
      expect(fillPlaceholders(text, places("one", { names: ["file"] }))).toBe(text);
    const escaped = String.raw`\$1 \$5.00 \$ARGUMENTS[0] \$file \${CLAUDE_SKILL_DIR}`;
    const unescaped = "$1 $5.00 $ARGUMENTS[0] $file ${CLAUDE_SKILL_DIR}";
    expect(fillPlaceholders(escaped, places("one", { names: ["file"] }))).toBe(unescaped);
    expect(fillPlaceholders(String.raw`\\$1 \\\$1`, places("one"))).toBe(String.raw`\\one \\$1`);
  });
});

describe("a shell line", () => {
  test.each([
    ["git log $ARGUMENTS", "--oneline -5", "git log --oneline -5"],
    ["git show $1", "$(id)", "git show '$(id)'"],
    ['echo "on $1"', '"$(id)`', 'echo "on \\$(id)\\`"'],
    ["echo 'on $1'", '"it\'s"', "echo 'on it'\\''s'"],
    ["cat ${CLAUDE_SKILL_DIR}/a", "", "cat /s/x/a"],
    ["echo $(date) $HOME", "ignored", "echo $(date) $HOME"],
    // Seen: after a comment with an apostrophe, arguments were inserted without quotes, and their text was run.
    ["true # what's here\ncat $1", "';id'", "true # what's here\ncat ';id'"],
    ["true;#'\ncat $1", "';id'", "true;#'\ncat ';id'"],
    ["true # $1\ncat $1", "'a\nid'", "true # $1\ncat 'a\nid'"],
    ["echo a#b' $1'", "';id'", "echo a#b' ;id'"],
    ["echo \\ #b' $1'", "';id'", "echo \\ #b' ;id'"],
    ["echo a\\\n#b' $1'", "';id'", "echo a\\\n#b' ;id'"],
    ["echo 'a #' $1", "';id'", "echo 'a #' ';id'"],
    ["echo $1#' $1'", "';id'", "echo ';id'#' ;id'"],
    // Seen: the number was taken for a part of the redirection.
    ["echo $1>f; cat $2<f; echo $1 >f", "2 a", "echo '2'>f; cat 'a'<f; echo 2 >f"],
    ["(( $1>2 )) && [[ $1 -lt $2 ]] 2>&$1", "3 4", "(( 3>2 )) && [[ 3 -lt 4 ]] 2>&3"],
    [String.raw`echo "costs \$$1" $$`, `"a'b"`, String.raw`echo "costs \$a'b" $$`],
    [String.raw`echo \\$1 \\\$1 "\\$1" '\\$1'`, "'a b'", String.raw`echo \\'a b' \\\$1 "\\a b" '\\a b'`],
    ["echo '$$1' $$ $HOME $2", "a", "echo '$a' $$ $HOME $2"],
    [String.raw`echo '((' \((\( "]=" -eq; echo $1`, "'a b'", String.raw`echo '((' \((\( "]=" -eq; echo 'a b'`],
    ['[ "$#" -gt 1 ] && [ "$COUNT" -gt 0 ] && echo $1', "'a b'", `[ "$#" -gt 1 ] && [ "$COUNT" -gt 0 ] && echo 'a b'`],
    ["[[ $1 == $2 ]]", "-a b", "[[ '-a' == b ]]"],
    ["while read line; do grep -v $1; done >&2", "'a b'", "while read line; do grep -v 'a b'; done >&2"],
  ])("%j gets arguments as quoted words", (command, argument, filled) => {
    expect(fillCommand(command, places(argument))).toBe(filled);
  });

  // Seen: in a project whose path has a blank no skill with such a line could be begun.
  test("that is complex ignores folders that it does not name", () => {
    const variables = { CLAUDE_PROJECT_DIR: "/home/j\u00fc/my work", CLAUDE_SKILL_DIR: "/s/x" };
    const line = 'git log "$(git merge-base HEAD main)" ${CLAUDE_SKILL_DIR}';
    expect(fillCommand(line, { ...places(""), variables })).toBe(line.replace("${CLAUDE_SKILL_DIR}", "/s/x"));
    expect(fillCommand("$(x) ${CLAUDE_PROJECT_DIR}", { ...places(""), variables })).toBeUndefined();
  });

  test.each(['echo "$(git log "$1")"', "cat <<E\n$1\nE", "echo `echo $1`", "echo ${x:-$1}", "echo $'$1'"])(
    "%j is too complex for arguments",
    (command) => {
      expect(fillCommand(command, places("a"))).toBeUndefined();
    },
  );

  // Seen: the shell ran what was typed.
  test.each([
    ['echo "$$1"', "(id)"],
    ["echo $$1", String.raw`"\\';id #"`],
    [String.raw`echo \\$$1`, String.raw`"\\';id #"`],
    ["cat <\\\n<E\n$1\nE", "$(id)"],
    ["echo a >&$1", "'$(id)'"],
  ])("%j cannot take the argument %j", (command, argument) => {
    expect(fillCommand(command, places(argument))).toBeUndefined();
  });

  test.each([
    "(( $1 > 2 ))",
    "echo $[$1]",
    "echo $[ '$1' ]",
    "a[$1]=b",
    'a["$1"]+=b',
    "a=([$1]=b)",
    "let a=$1",
    '[[ "$1" -gt 2 ]]',
    "[[ 2 -eq $1 ]]",
    "[[ -v $1 ]]",
    "printf -v $1 b",
    "true; read $1 b",
    "if unset $1; then :; fi",
    "declare -i a=$1",
    "typeset $1",
  ])("%j takes only plain words, because bash would run a subscript in them", (command) => {
    expect(fillCommand(command, places("'a[$(id)]'"))).toBeUndefined();
    expect(fillCommand(command, places("2"))).toBe(command.replace("$1", "2"));
  });

  test("that is complex stays unchanged if there are no arguments for its placeholders", () => {
    const line = "echo $(git log | awk '{print $1}')";
    expect(fillCommand(line, places(""))).toBe(line);
    expect(fillCommand(line, places("a"))).toBeUndefined();
  });

  // Seen: it lost the backslash, and awk printed whole lines.
  test("that is complex keeps its escaped dollar signs", () => {
    const line = 'echo $(awk "{print \\$1}" f) \\$ARGUMENTS \\${CLAUDE_SKILL_DIR}';
    for (const argument of ["", "a b"]) expect(fillCommand(line, places(argument))).toBe(line);
    expect(fillCommand("echo $(date) ${CLAUDE_SKILL_DIR} ${OTHER}", places("a"))).toBe("echo $(date) /s/x ${OTHER}");
  });

  test.each([";id", "$(id)", "a b", '"'])("that is complex takes no folder with %j in its name", (part) => {
    const line = 'echo "$(cat ${CLAUDE_SKILL_DIR}/a)"';
    for (const folder of [`/s/${part}`, `${part}/s`]) {
      const variables = { CLAUDE_PROJECT_DIR: "/s/x", CLAUDE_SKILL_DIR: folder };
      expect(fillCommand(line, { ...places(""), variables })).toBeUndefined();
    }
    expect(fillCommand(line, places(""))).toBe('echo "$(cat /s/x/a)"');
  });

  test("prints arguments literally and runs nothing in them", () => {
    const odd = fc.stringMatching(/^[ a-z'"$`\\;&|(){}!*#<>~-]{1,12}$/u);
    const line = fc.constantFrom(
      "printf %s $1",
      'printf %s "$1"',
      "printf %s '$1'",
      'printf %s a"b$1"c',
      "true # it's $1\nprintf %s $1 # $1",
    );
    fc.assert(
      fc.property(odd, line, (argument, command) => {
        const [first] = splitArguments(argument);
        const filled = fillCommand(command, places(argument));
        if (first === undefined || filled === undefined) return;
        const printed = execFileSync("/bin/sh", ["-c", filled], {
          encoding: "utf8",
          cwd: "/",
          stdio: ["ignore", "pipe", "ignore"],
        });
        const around = command.includes('a"b') ? ["ab", "c"] : ["", ""];
        expect(printed).toBe(`${around[0]}${first}${around[1]}`);
      }),
      { numRuns: 60 },
    );
  });
});
