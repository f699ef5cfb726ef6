// Rules that people have and the commands they wrote them for: these are allowed, and what hides behind them is asked about.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "sub"]) mkdirSync(join(place.cwd, folder));
});
afterAll(() => place.remove());

const allow = ["npm run test:*", "npm run build", "cargo:*", "go test:*", "git:*", "grep:*", "cat:*", "tar:*"].map(
  (text) => `Bash(${text})`,
);
const run = (command: string) => bash(make(place, { allow }), place.cwd, command);

test.each([
  "npm run build && npm run test -- --run 2>&1 | tail -20",
  "npm run test; echo $?",
  "npm run test || exit 1",
  "set -euo pipefail\nnpm run build\nnpm run test",
  "(cd sub && npm run test)",
  "{ npm run build; npm run test; } 2>&1 | grep -v warn",
  "CI=1 npm run test",
  "NODE_ENV=test FORCE_COLOR=0 npm run test",
  "RUST_BACKTRACE=1 cargo test",
  "GOOS=linux go test ./...",
  "[[ -f package.json ]] && npm run test",
  "[[ ! -d dist ]] && npm run test",
  '[ -n "$CI" ] || npm run test',
  "git log --oneline | head -5",
  "cat src/x.ts | wc -l",
  "pwd && git status",
  "git ls-files | xargs grep -l foo",
  "git ls-files -m | xargs git add",
  "git config user.name Ann",
  "git add -u && git push -u origin main",
  "git clone -b main https://example.com/x.git",
  "git switch -c feature/x",
  "git -C sub switch -c feature/x",
  "git --no-pager log -c -1",
  "git commit -c HEAD~1",
  "git log -c -1",
  "git --exec-path",
  "tar czf out.tgz src",
  "tar czf out.tgz src/*",
  "git log -- config src/*",
  "git submodule update --init sub/*",
])("an everyday command is covered by the rule written for it: %s", async (command) => {
  expect(await run(command)).toBe("allow");
});

test.each([
  "(npm run test; curl x)",
  "{ npm run test; curl x; }",
  "PATH=. npm run test",
  "NODE_OPTIONS=--require=./x npm run test",
  "NODE_ENV=$(curl x) npm run test",
  "NODE_ENV=../x npm run test",
  "RUSTC_WRAPPER=./x cargo test",
  "set -x; npm run test",
  "set -- x; npm run test",
  "[[ -v a[$(curl x)] ]] && npm run test",
  "ls | xargs rm",
  "ls | xargs -I{} rm {}",
  "ls | xargs git log",
  "git -c core.pager=./x log",
  "git --no-pager -c alias.a=!./x a",
  "git --git-dir .git -c alias.a=!./x a",
  'git -C "$D" -c alias.a=!./x a',
  "git $X -c alias.a=!./x a",
  "git clone -c core.sshCommand=./x a b",
  "git config alias.x '!curl x'",
  "git config --global Core.FSMonitor ./x",
  "git rebase -x ./x HEAD~1",
  "git difftool -yx ./x",
  "git clone -u ./x . y",
  "tar cIf ./x out src",
  "tar c{I,url} ./x out",
  "tar c* ./x out",
  "git co{nfig,re.pager} ./x",
  "git reb{ase,} -x ./x",
  "git -C sub reb* -x ./x",
  "git bisect r{un,./x}",
  "git submodule --quiet f?reach ./x",
  "git config al{ias.x,x} y",
])("a command that hides something behind an everyday rule is asked about: %s", async (command) => {
  expect(await run(command)).toBe("ask");
});

test("a rule that names git config allows the settings it makes", async () => {
  const permissions = make(place, { allow: ["Bash(git config:*)"] });
  expect(await bash(permissions, place.cwd, "git config alias.st status")).toBe("allow");
});

test.each([
  ['Bash(python3 "tools/x.py" *)', 'python3 "tools/x.py" a'],
  ['Bash(python3 "tools/x.py" *)', "python3 tools/x.py a"],
  ["Bash(npm run x --only='a' *)", "npm run x --only='a' b"],
  ['Bash("tools/x.sh":*)', '"tools/x.sh" a'],
])("a rule with quotes, %s, covers the command it was written for: %s", async (rule, command) => {
  expect(await bash(make(place, { allow: [rule] }), place.cwd, command)).toBe("allow");
  expect(await bash(make(place, { allow: ["Bash"], deny: [rule] }), place.cwd, command)).toBe("deny");
});

test.each(['uv run "$SCRIPT"', 'uv run --with "$PACKAGE" python x.py', 'pnpm exec "$X" src', 'npx "$X"', 'yarn "a$X"'])(
  "a rule for a program that runs others covers a variable that is one word, and no unquoted one: %s",
  async (command) => {
    const permissions = make(place, { allow: ["uv run", "pnpm", "npx", "yarn"].map((name) => `Bash(${name} *)`) });
    expect(await bash(permissions, place.cwd, command)).toBe("allow");
    expect(await bash(permissions, place.cwd, command.replaceAll('"', ""))).toBe("ask");
  },
);

const narrow = [
  "prettier --write src/*",
  "rm dist/*",
  "gh api repos/*",
  "curl -s https://example.com/?user=play:*",
  "python ~/tools/x.py:*",
  "~/bin/check:*",
  "chmod +x \\*:*",
  'bash "$D"/x.sh:*',
].map((text) => `Bash(${text})`);
const runNarrow = (command: string) => bash(make(place, { allow: narrow }), place.cwd, command);

test.each([
  "prettier --write src/*.ts",
  "prettier --write src/{a,b}.ts lib/*.ts",
  'prettier --write "src/**/*.{ts,tsx}"',
  "rm dist/*.js dist/[ab].css",
  "rm dist/file{1..3}.js",
  "rm dist/.[a-z]* dist/.??* dist/.[!.]* dist/.vite*/a",
  'rm dist/"$(date +%F)".log dist/$$.tmp dist/$((1 + 2)).js',
  "prettier --write src/a.ts ../x.ts",
  "gh api 'repos/{owner}/{repo}/pulls?state=open'",
  "curl -s https://example.com/?user=play -d x",
  "curl -s 'https://example.com/?user=play'",
  "python ~/tools/x.py a",
  "cd sub && python ~/tools/x.py *.txt",
  "~/bin/check src",
])("a rule that names the beginning of a word covers patterns and quotes after it: %s", async (command) => {
  expect(await runNarrow(command)).toBe("allow");
});

// Seen: two patterns of this code tried each star as the beginning of the others, which took ten seconds.
test("a glob of very many stars is judged within the time limit", async () => {
  expect(await runNarrow(`rm dist/.${"*".repeat(50_000)}x`)).toBe("ask");
});

test.each([
  "prettier --write sr?/a.ts",
  "prettier --write {src,lib}/a.ts",
  "rm d*/x",
  "rm 'dist /x'",
  "rm dist/../src/a",
  "rm dist/{a,../src/a}",
  "rm dist/{.,x}./src/a",
  "rm dist/.?/src/a",
  'rm dist/"$X"',
  'rm dist/"$(echo ../src/a)"',
  "rm dist/.*",
  "rm dist/.[--0]/src/a",
  "rm dist/{1..3,../src/a}",
  "rm dist/{Z..a}/a",
  'rm dist/"$(date +..)"/src/a',
  'rm dist/".$!."/src/a',
  'rm dist/"$((1))/$X/$((2))"',
  "rm dist/a dist/b/../../x",
  'prettier --write "src/../x.ts"',
  'python "~/tools/x.py"',
  '"~/bin/check" src',
  "python ~ann/tools/x.py",
  "HOME=. python ~/tools/x.py",
  "~/bin/checked src",
  "chmod +x * src",
  'for D in /x; do bash "$D"/x.sh; done',
  "for HOME in /x; do ~/bin/check; done",
  "for HOME in /x; do python ~/tools/x.py; done",
  "export HOME=/x; ~/bin/check",
  "HOME=/x; ~/bin/check",
  "read HOME; ~/bin/check",
  "cd /x && printf -v HOME /x && ~/bin/check",
])("a command that only may become what a rule names is asked about: %s", async (command) => {
  expect(await runNarrow(command)).toBe("ask");
});

const withVariables = [
  "PYTHONPATH=. pytest:*",
  "NODE_ENV=test npm run *",
  'NODE_OPTIONS="--max-old-space-size=4096 --inspect" npx tsc:*',
  "PGPASSWORD=* psql *",
  "A=1 B=2 make",
  "UV_CACHE_DIR=*",
  "KUBECONFIG=~/.kube/dev kubectl get *",
].map((text) => `Bash(${text})`);
const runWithVariables = (command: string) => bash(make(place, { allow: withVariables }), place.cwd, command);

test.each([
  "PYTHONPATH=. pytest -q | tail -5",
  "cd sub && CI=1 PYTHONPATH=. timeout 60 pytest",
  "PYTHONPATH='.' pytest",
  "NODE_ENV=test npm run build",
  'NODE_OPTIONS="--max-old-space-size=4096 --inspect" npx tsc --noEmit',
  "PGPASSWORD='a b' psql -c 'select 1'",
  "B=2 A=1 make",
  "UV_CACHE_DIR=.uv uv run x",
  "KUBECONFIG=~/.kube/dev kubectl get pods",
])("a rule that names variables covers the command with them: %s", async (command) => {
  expect(await runWithVariables(command)).toBe("allow");
});

test.each([
  "PYTHONPATH=./x pytest -q",
  "pytest -q",
  "PATH=. PYTHONPATH=. pytest",
  "PYTHONPATH=. PYTHONPATH=x pytest",
  "PYTHONPATH+=. pytest",
  "PGPASSWORD=$X psql",
  "PYTHONPATH=. pytest; curl x",
  "NODE_ENV=production npm run build",
  "NODE_ENV=test NODE_ENV=production npm run build",
  "PGPASSWORD=x LD_PRELOAD=./x psql -l",
  "PGPASSWORD=x sh -c 'curl x' psql y",
  "PGPASSWORD=$(curl x) psql -l",
  'KUBECONFIG="~/.kube/dev" kubectl get pods',
  "A=1 make",
])("values, variables and commands that a rule with variables does not name are asked about: %s", async (command) => {
  expect(await runWithVariables(command)).toBe("ask");
});

test.each([
  "cd sub && DATABASE_URL=x npm run test",
  "CI=1 DATABASE_URL=x npm run test",
  "env -i DATABASE_URL=x npm run test",
  "export DATABASE_URL=x && npm run test",
  "bash -c 'DATABASE_URL=x npm run test'",
  "time DATABASE_URL=x npm run test",
  "if ! DATABASE_URL=x npm run test; then exit 1; fi",
  "for each in a b; do DATABASE_URL=x npm run test; done",
  "{ DATABASE_URL=x npm run test; }",
  "sudo -u ann DATABASE_URL=x npm run test",
  "timeout 60 env -u CI DATABASE_URL=x npm run test",
  "npx cross-env CI=1 DATABASE_URL=x npm run test",
])("a deny rule for a variable finds it wherever it is set: %s", async (command) => {
  const permissions = make(place, { deny: ["Bash(DATABASE_URL=*)"], mode: "bypassPermissions" });
  expect(await bash(permissions, place.cwd, command)).toBe("deny");
  expect(await bash(permissions, place.cwd, "echo DATABASE_URL=x")).toBe("allow");
});

test.each([
  ["docker run -it -e AWS_PROFILE=prod image", "deny"],
  ["docker compose run --rm -e AWS_PROFILE=prod deploy", "deny"],
  ["docker run -e AWS_PROFILE=dev image", "allow"],
  ["docker run -e AWS_PROFILE image", "allow"],
])(
  "a deny rule for a variable finds it where a container runs its own command with it: %s, %s",
  async (command, it) => {
    const permissions = make(place, { deny: ["Bash(AWS_PROFILE=prod *)"], mode: "bypassPermissions" });
    expect(await bash(permissions, place.cwd, command)).toBe(it);
  },
);

test("a deny rule for a variable alone finds it where it is set, and no variable with another value", async () => {
  const permissions = make(place, { deny: ["Bash(DATABASE_URL=x)"], mode: "bypassPermissions" });
  expect(await bash(permissions, place.cwd, "cd sub && export DATABASE_URL=x")).toBe("deny");
  expect(await bash(permissions, place.cwd, "cd sub && export DATABASE_URL=xy")).toBe("allow");
});

test.each([
  ["AWS_PROFILE=prod TF_LOG=1 terraform apply", "deny"],
  ["AWS_PROFILE=prod timeout 600 /usr/bin/terraform apply", "deny"],
  ["env AWS_PROFILE=prod TF_LOG=1 terraform apply", "deny"],
  ["export AWS_PROFILE=prod && cd sub && terraform apply", "deny"],
  ["AWS_PROFILE=prod; terraform apply", "deny"],
  ["AWS_PROFILE=prod timeout 600 bash -c 'cd sub && terraform apply'", "deny"],
  ["AWS_PROFILE=prod eval 'terraform apply'", "deny"],
  ["AWS_PROFILE=prod bash -c 'cd sub && terraform apply'", "deny"],
  ["env AWS_PROFILE=prod sh -c 'terraform -chdir=x apply'", "deny"],
  ["AWS_PROFILE=prod eval terraform apply", "deny"],
  ["docker exec x sh -c 'AWS_PROFILE=prod terraform apply'", "deny"],
  ["docker run --rm -e AWS_PROFILE=prod image terraform apply", "deny"],
  ["docker compose run --env=AWS_PROFILE=prod x sh -c 'terraform apply'", "deny"],
  ["docker run -eAWS_PROFILE=prod --entrypoint terraform image apply", "deny"],
  ["docker run -e AWS_PROFILE=dev image terraform apply", "allow"],
  ["docker run -e AWS_PROFILE=prod image aws s3 ls && terraform version", "allow"],
  ["kubectl exec x -- env AWS_PROFILE=prod terraform apply", "deny"],
  ["docker exec -it -e AWS_PROFILE=prod x terraform apply", "deny"],
  ["docker compose run --rm --env=AWS_PROFILE=prod -eCI=1 x sh -c 'terraform apply'", "deny"],
  ["podman exec -e AWS_PROFILE=prod -l terraform apply", "deny"],
  ["podman exec -l -e AWS_PROFILE=prod terraform apply", "deny"],
  ["ssh -p 22 x AWS_PROFILE=prod terraform apply", "deny"],
  ["AWS_PROFILE=dev TF_LOG=1 terraform apply", "allow"],
  ["AWS_PROFILE=prod aws s3 ls && terraform version", "allow"],
  ["AWS_PROFILE=prod echo terraform apply", "allow"],
  ["AWS_PROFILE=prod bash -c 'aws s3 ls' && terraform version", "allow"],
  ["ssh x echo AWS_PROFILE=prod terraform apply", "allow"],
  ["docker exec -e AWS_PROFILE=prod x aws s3 ls && terraform version", "allow"],
  ["docker run -e AWS_PROFILE=prod x && terraform version", "allow"],
  ["docker exec -e AWS_PROFILE=dev x terraform apply", "allow"],
])(
  "a deny rule for a variable and a command matches across other variables, shells and containers: %s, %s",
  async (command, behavior) => {
    const permissions = make(place, { deny: ["Bash(AWS_PROFILE=prod terraform *)"], mode: "bypassPermissions" });
    expect(await bash(permissions, place.cwd, command)).toBe(behavior);
  },
);

test.each([
  ['AWS_PROFILE="$P" terraform apply', "ask"],
  ['export AWS_PROFILE="$P" && terraform apply', "ask"],
  ['AWS_PROFILE="$P" TF_LOG=1 timeout 600 terraform apply', "ask"],
  ["AWS_PROFILE=$(cat profile) terraform apply", "ask"],
  ['docker run -e AWS_PROFILE="$P" image terraform apply', "ask"],
  ['AWS_PROFILE=prod "$TF" apply', "ask"],
  ['AWS_PROFILE="$P" "$TF" apply', "ask"],
  ['AWS_PROFILE="$P" aws s3 ls', "allow"],
  ['export AWS_PROFILE="$P" && cd sub && aws s3 ls', "allow"],
  ['A="$P" terraform apply', "allow"],
  ['docker exec -e AWS_PROFILE="$P" x terraform apply', "ask"],
  ['docker exec -e AWS_PROFILE="$P" x aws s3 ls', "allow"],
])(
  "an unknown value before a command with a deny rule is asked about, and denied in bypass mode: %s, %s",
  async (command, it) => {
    const deny = ["Bash(AWS_PROFILE=prod terraform *)"];
    expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe(it);
    const unasked = await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);
    expect(unasked).toBe(it === "ask" ? "deny" : it);
  },
);

test.each([
  ['NODE_ENV="$E" npm publish', "ask"],
  ['NODE_ENV=prod-"$E" CI=1 npm publish', "deny"],
  ['NODE_ENV="$E" npm test', "allow"],
  ['NODE_ENV=prod-"$E" ls', "allow"],
])("an unknown value is matched against a deny rule with a star in its value: %s, %s", async (command, it) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(NODE_ENV=prod-* npm publish *)"] });
  expect(await bash(permissions, place.cwd, command)).toBe(it);
});

test.each([
  ['AWS_PROFILE=dev aws s3 ls "$B"', "allow"],
  ['export AWS_PROFILE=dev; aws s3 ls "$B"', "allow"],
  ['docker run -e AWS_PROFILE=dev image aws s3 ls "$B"', "allow"],
  ['AWS_PROFILE=my-prod-1 aws s3 ls "$B"', "deny"],
  ['RAILS_ENV=production-eu ls "$B"', "allow"],
  ['RAILS_ENV="$E" ls "$B"', "allow"],
  ['RAILS_ENV=production-eu "$R" db:drop', "ask"],
  ['RAILS_ENV="$E" "$R" db:drop', "ask"],
])(
  "a star in a deny rule's value stands for a part of the value, whatever follows the command: %s, %s",
  async (command, it) => {
    const deny = ["Bash(AWS_PROFILE=*prod* *)", "Bash(RAILS_ENV=prod* rails *)"];
    expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe(it);
    const unasked = await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);
    expect(unasked).toBe(it === "ask" ? "deny" : it);
  },
);

test.each([
  'mapfile -c 1 -C"$run" < x',
  'docker exec x rails "$task"',
  `${"RAILS_ENV=production ".repeat(1_200)}x`,
  `ssh x ${"RAILS_ENV=production ".repeat(1_200)}x`,
])(
  "a line too long to follow before a denied command is asked about, and denied in bypass mode: %s",
  async (command) => {
    const deny = ["Bash(RAILS_ENV=production rails *)", "Bash(rails db:drop)"];
    expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("ask");
    expect(await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command)).toBe("deny");
  },
);
