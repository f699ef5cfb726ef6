// In bypass mode, deny rules are the only guard: they refuse what they cannot read, and nothing else.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bash, call, make, makePlace, type Place } from "./support.ts";

let place: Place;
let folder: string;
beforeAll(() => {
  place = makePlace();
  folder = join(place.root, "empty");
});
afterAll(() => place.remove());

const deny = ["Bash(touch *)"];
const inBypass = (command: string, rules = deny) =>
  bash(make(place, { mode: "bypassPermissions", deny: rules }), place.cwd, command);

/** In an empty folder, by a real bash. */
function makesFile(command: string): boolean {
  mkdirSync(folder);
  spawnSync("bash", ["--norc", "--noprofile", "-c", `${command}\nwait`], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
    input: "",
    timeout: 10_000,
  });
  const isMade = existsSync(join(folder, "made"));
  rmSync(folder, { recursive: true });
  return isMade;
}

const hiding = [
  "eval -- touch made",
  "trap -- 'touch made' EXIT",
  "coproc made { touch made; }",
  "coproc made while touch made; do break; done",
  "set -- a; for i do touch made; done",
  "sleep 0 & jobs -x touch made",
  "{touch,made}",
  "x=touch; $x made",
  'x=touch; "$x" made',
  "x=t; ${x}ouch made",
  "x='touch made'; $x",
  'a=(touch made); "${a[@]}"',
  'set -- touch made; "$@"',
  "echo touch made | sh",
  "echo touch made | bash -s",
  "echo touch made | bash /dev/stdin",
  "echo touch $PWD/made | (cd /dev; bash ./stdin)",
  "bash <(echo touch made)",
  'f=/dev/stdin; echo touch made | bash "$f"',
  ". /dev/stdin <<< 'touch made'",
  "bash <<'E'\ntouch made\nE",
  'eval "touch made"',
  'x="touch made"; eval "$x"',
  "bash -c 'touch made'",
  'x="touch made"; bash -c "$x"',
  "bash -c '$0 made' touch",
  "env touch made",
  "env -S 'touch made'",
  "env -S'touch made'",
  "echo made | xargs touch",
  "echo touch made | xargs env",
  "echo 'touch made' | xargs -d '\\n' sh -c",
  "echo 'touch made' | xargs -I{} sh -c '{}'",
  "echo . -maxdepth 0 -exec touch made ';' | xargs -d' ' find; x='. -maxdepth 0 -exec touch made ;'; find $x",
  "find . -maxdepth 0 -exec touch made \\;",
  "x=-exec; find . -maxdepth 0 $x touch made \\;",
  "find /bin/ /usr/bin -maxdepth 1 -name 'tou[c]h' -exec {} made \\;",
  "find /bin/ /usr/bin -maxdepth 1 -name 'tou[c]h' -exec env {} made \\;",
  "find /bin/ /usr/bin -maxdepth 1 -name 'tou[c]h' -exec sh -c '{} made' \\;",
  "find . {-maxdepth,0,-exec,touch,made,\\;}",
  "command touch made",
  "\\touch made",
  '"to"uch made',
  "to$@uch made",
  "$(echo touch) made",
  "`echo touch` made",
  "/*/tou?h made",
  "shopt -s expand_aliases\nalias x='tou'\"ch\"\nx made",
  "shopt -s expand_aliases\nBASH_ALIASES[x]='to''uch'\nx made",
  'f() { touch "$@"; }; f made',
  'f() { "$@"; }; f touch made',
  "hash -p $(type -p touch) x; x made",
  "nohup touch made",
  "timeout 5 touch made",
  "x='5 touch made'; timeout $x",
  'x=5; timeout "$x" touch made',
  "x='1 touch made'; env A=$x",
  "trap 'touch made' EXIT",
  "x='touch made'; trap \"$x\" EXIT",
  "mapfile -C \"$(echo touch made '#')\" -c 1 <<< x",
  "x='a[$(to$@uch made)]'; : $((x))",
  "x='$(to$@uch made)'; : ${x@P}",
  "declare 'a[$(to$@uch made)]=1'",
  'x=/usr/bin/env; "$x" touch made',
  'x=/usr/bin; "$x/env" touch made',
  'x=/usr/bin; "$x/touch" made',
];

describe("a denied command in bypass mode", () => {
  test.each(hiding)("is refused however it is hidden: %j", async (command) => {
    expect(makesFile(command)).toBe(true);
    expect(await inBypass(command)).toBe("deny");
  });

  test("is denied with the rule it may match and the reason why that cannot be decided", async () => {
    const permissions = make(place, { mode: "bypassPermissions", deny });
    const decision = await call(permissions, place.cwd, "Bash", { command: "x=touch; $x a" });
    const message = decision.behavior === "deny" ? decision.message : "";
    expect(message).toContain('the deny rule "Bash(touch *)" (test) forbids it');
    expect(message).toContain("what $x expands to is known only when the command runs");
    expect(message).toContain("in bypassPermissions mode nobody is asked");
  });

  test("is denied only if a rule for commands or files exists", async () => {
    for (const command of hiding) {
      expect(await inBypass(command, []), command).toBe("allow");
      expect(await inBypass(command, ["mcp__server", "WebFetch(domain:example.com)"]), command).toBe("allow");
    }
    expect(await inBypass("echo touch made | sh", ["Read(secret/**)"])).toBe("allow");
  });
});

const ordinary = [
  'npm test "$HOME"',
  "git commit -m \"$(cat <<'EOF'\nfix `a` and $(b)\n\nEOF\n)\"",
  "git commit -m 'run `sh` and `$x` before it'",
  "grep -rn '`' docs",
  "awk '{print $(NF-1)}' f | sort | uniq -c",
  `cat > notes.md <<'EOF'\n${"- a line of $(text) and `more`, it's long\n".repeat(400)}EOF`,
  'curl -H "Authorization: Bearer $TOKEN" https://example.com',
  'timeout 60 curl -H "Authorization: Bearer $TOKEN" https://example.com',
  'timeout "$LIMIT" npm test',
  'sudo -u "$USER" npm test',
  'ssh "$SERVER" uptime',
  '"$VIRTUAL_ENV/bin/python" -m pytest',
  '. "$HOME/.cargo/env" && cargo build',
  "source venv/bin/activate && pytest -q",
  'for f in src/*.ts; do wc -l "$f"; done',
  "for d in a b; do find \"$d\" -name '*.o'; done",
  "find $HOME -name '*.ts' | head",
  "find . -name '*.ts' -exec grep -l x {} +",
  "find . -name '*.sh' -exec sh -c 'wc -l \"$1\"' _ {} \\;",
  "ls | xargs",
  "git ls-files | xargs wc -l",
  "git ls-files | xargs -I{} cp {} out/",
  "rm *.log",
  "rm src/*.o",
  "mkdir -p src/{a,b}",
  "echo \"${x:-'none'} ${y//'/'/-} $(( ${#a[@]} + 16#ff ))\"",
  "bash scripts/build.sh --fast",
  'bash "$SCRIPT"',
  "bash -c 'cd src && npm test'",
  "echo 👩‍💻 done",
  "python3 - <<'EOF'\nprint(`1`)\nEOF",
  'n=$(wc -l < f); echo "$((n + 1))"',
];

test.each(ordinary)("%j is not denied by rules that do not mean it", async (command) => {
  const rules = ["Bash(touch *)", "Bash(git push *)", "Bash(rm -rf *)", "Bash(npm publish:*)", "Bash(curl -X *)"];
  expect(await inBypass(command, rules)).toBe("allow");
});

test("no everyday command that only reads is denied by rules that do not mean it", async () => {
  const commands = readFileSync(join(import.meta.dirname, "everyday-commands.txt"), "utf8")
    .trim()
    .split("\n");
  const rules = ["Bash(touch *)", "Bash(git push *)", "Bash(rm -rf *)"];
  const permissions = make(place, { mode: "bypassPermissions", deny: rules });
  const refused: string[] = [];
  for (const command of commands) if ((await bash(permissions, place.cwd, command)) !== "allow") refused.push(command);
  expect(refused).toEqual([]);
});

const single = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const name = fc.constantFrom(
  ..."touch|\\touch|'t'ouch|\"to\"uch|$'\\x74ouch'|to$@uch|to${none}uch|$(echo touch)|`echo touch`|/bin/touch|/*/tou?h".split(
    "|",
  ),
  "t\\\nouch",
  "$x",
  '"$x"',
  "${x}",
  '"${a[0]}"',
  "$(printf tou; printf ch)",
  "tou$(echo ch)",
  "${none:-touch}",
);
const simple = fc.oneof(
  name.map((each) => `${each} made`),
  fc.constantFrom("{touch,made}", "{to,tou}ch made", '"${a[@]}"', "$line", "touch{,} made", "${line}"),
);
const layers: ((command: string) => string)[] = [
  (command) => `true; ${command}`,
  (command) => `if true; then ${command}; fi`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `echo $(${command})`,
  (command) =>
    `: "\`${command.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("$", "\\$").replaceAll('"', '\\"')}\`"`,
  (command) => `eval ${single(command)}`,
  (command) => `y=${single(command)}; eval "$y"`,
  (command) => `y=${single(command)}; bash -c "$y"`,
  (command) => `bash -c ${single(command)}`,
  (command) => `bash -c "$0" ${single(command)}`,
  (command) => `bash -c 'eval "$0"' ${single(command)}`,
  (command) => `echo ${single(command)} | sh`,
  (command) => `bash <<< ${single(command)}`,
  (command) => `bash <<'E1'\n${command}\nE1\n`,
  (command) => `cat <<'E2' | bash -s\n${command}\nE2\n`,
  (command) => `cat <<E3\n$(${command})\nE3\n`,
  (command) => `. <(echo ${single(command)})`,
  (command) => `bash <(echo ${single(command)})`,
  (command) => `. /dev/stdin <<< ${single(command)}`,
  (command) => `trap ${single(command)} EXIT`,
  (command) => `f() { ${command}; }; f`,
  (command) => `y='a[$(${command.replaceAll("'", "'\\''")})]'; : $((y))`,
  (command) => `y='$(${command.replaceAll("'", "'\\''")})'; : "\${y@P}"`,
  (command) => `case a in a) ${command};; esac`,
  (command) => `for y in 1; do ${command}; done`,
  (command) => `coproc ${command}`,
  (command) => `printf '%s\\n' ${single(command)} | xargs -d '\\n' sh -c`,
  (command) => `printf '%s\\n' ${single(command)} | xargs -d '\\n' -I% bash -c %`,
];
const fronts = fc.constantFrom(
  ...'env|env A=b|command|nohup|timeout 5|timeout "$t"|nice|nice -n 3|time|builtin command|exec|stdbuf -oL|setsid -w|xargs -n2|echo | xargs|env -i PATH="$PATH"|A=b'.split(
    "|",
  ),
  "find . -maxdepth 0 -exec",
);

const rounds = 150;

test("no allowed command has the effect of a denied one, however it is hidden", async () => {
  const head = "x=touch; t=5; a=(touch made); line='touch made'; ";
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(
      simple,
      fc.array(fronts, { maxLength: 2 }),
      fc.array(fc.constantFrom(...layers), { maxLength: 3 }),
      async (inner, before, around) => {
        const front = before.reduceRight(
          (text, each) => (each.startsWith("find") ? `${each} ${text} ';'` : `${each} ${text}`),
          inner,
        );
        const command = head + around.reduce((text, layer) => layer(text), front);
        const isMade = makesFile(command);
        ran += isMade ? 1 : 0;
        if (isMade) expect(await inBypass(command), command).toBe("deny");
      },
    ),
    { numRuns: rounds },
  );
  expect(ran).toBeGreaterThan(rounds / 5);
});
