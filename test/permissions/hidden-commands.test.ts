// Commands that a deny rule has to find. Uses the real shell, so that each of them really runs.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const ran = (command: string): boolean => {
  execFileSync("bash", ["-c", `${command}\n:`], { cwd: place.cwd, stdio: "ignore" });
  const isThere = existsSync(join(place.cwd, "made"));
  rmSync(join(place.cwd, "made"), { force: true });
  return isThere;
};
const deny = ["Bash(touch *)"];

test.each([
  "cat <(cat <<'E'\nx\nE); touch made; : <(cat\nE\n)",
  'echo "$(cat <<\'E\'\nx\nE)" $(touch made) "$(cat\nE\n)"',
  "cat <<E\n$\\\n(touch made)\nE",
  "a[0]=1 touch made",
  'a["x y"]=1 touch made',
  "mapfile -C 'touch made #' -c 1 <<< x",
  "compgen -C 'touch made;'",
  "mapfile -C mapfile -C 'touch made #' -c 1 <<< x",
])("%j is denied in every mode", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, deny, allow: ["Bash"] }), place.cwd, command), mode).toBe("deny");
  expect(ran(command)).toBe(true);
});

test.each(["/*/to?ch made", "/bin/to?ch made", "source <(echo touch made)"])(
  "%j is asked about, because it cannot be told from the denied command",
  async (command) => {
    expect(await bash(make(place, { deny, allow: ["Bash"] }), place.cwd, command)).toBe("ask");
    expect(ran(command)).toBe(true);
  },
);

test.each([". venv/bin/activate", "mapfile -t x < f", "git commit -m \"$(cat <<'EOF'\nfix (x)\n\nEOF\n)\""])(
  "%j is allowed, because it runs no denied command",
  async (command) => {
    expect(await bash(make(place, { deny, allow: ["Bash"] }), place.cwd, command)).toBe("allow");
  },
);

test.each([
  "pnpm exec zap x",
  "npm exec -- zap x",
  "yarn dlx zap x",
  "poetry run zap x",
  "uv run --with a zap x",
  "bundle exec zap x",
  "direnv exec . zap x",
  "mise exec -- zap x",
  "mise x node@20 python -- zap x",
  "dotenv run zap x",
  "dotenv run -- zap x",
  "dotenv -- zap x",
  "conda run -n env zap x",
  "fakeroot zap x",
  "prlimit --nproc=100 zap x",
  "setpriv --reuid 0 zap x",
  "proxychains4 -q zap x",
  "gosu nobody zap x",
  "setarch x86_64 zap x",
  "chroot --userspec a:b / zap x",
  "ssh -ti key host zap x",
  "ssh -B eth0 host zap x",
  "ssh-agent -t 60 zap x",
  "sg group 'zap x'",
  "runcon -t a_t zap x",
  "gtimeout 5 zap x",
  "ls | gxargs -I_ sh -c 'zap _'",
  "genv -S 'zap x'",
  "echo a | entr zap x",
  "perf stat zap x",
  "gdb -batch -ex run --args zap x",
  "screen -dm zap x",
  "tmux new-session -d 'zap x'",
  "hyperfine 'zap x'",
  "asdf exec zap x",
  "rbenv exec zap x",
  "nvm exec 20 zap x",
  "pixi run zap x",
  "op run --env-file=a -- zap x",
  "doppler run --command 'zap x'",
  "aws-vault exec prod -- zap x",
  "cross-env A=b zap x",
  "concurrently 'zap x' 'ls'",
  "concurrently -n -n 'zap x'",
  "hyperfine -- -n 'zap x'",
  "tmux new-window -S 'zap x'",
  "nodemon --exec 'zap x'",
  "watchexec -e ts zap x",
  "xvfb-run -a zap x",
  "faketime '2020-01-01' zap x",
  "tini -- zap x",
  "/lib64/ld-linux-x86-64.so.2 /usr/bin/zap x",
])("a deny rule finds a program that a wrapper runs: %s", async (command) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(zap *)"] });
  expect(await bash(permissions, place.cwd, command)).toBe("deny");
});

test.each([
  "npm run zap",
  "npm install zap x",
  "pnpm add zap",
  "yarn add zap",
  "uv add zap",
  "poetry add zap",
  "bundle add zap",
  "tmux ls",
  "perf report zap",
  "ssh -tB eth0 host ls zap",
  "asdf install zap 1",
  "op read zap",
  "nodemon zap.js",
  "uv run pytest -k 'zap x'",
])("a deny rule does not match a word that only names the program: %s", async (command) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(zap *)", "Bash(zap)"] });
  expect(await bash(permissions, place.cwd, command)).toBe("allow");
});

test.each([
  'npm --prefix "$DIR" test',
  'for d in packages/*; do npm --prefix "$d" test; done',
  "for p in web api; do pnpm --filter $p build; done",
  "pnpm --filter=$PKG build",
  "uv --directory $DIR sync",
  "npm exec -- eslint $FILES",
  "timeout 60 -- make $TARGET",
  'uv run --directory "$d" pytest',
  'uv --directory "$d" run pytest',
  'poetry -C "$d" run pytest',
  'conda run -n "$ENV" pytest',
  'npm exec -w "$w" -- eslint .',
  'for p in packages/*; do pnpm -C "$p" exec tsc; done',
  "tmux new -d -s \"$S\" 'npm start'",
  'perf record -o "$f" ./a',
  'timeout -k "$t" 5 ls',
  'mise x "node@$v" -- npm test',
  'perf record -F "$n" -g -- ./a',
  'hyperfine --export-json "$f" ./a',
  'devbox run -c "$d" test',
  'cpulimit -l "$n" ./a',
  'op run --env-file "$f" -- npm test',
  'doppler run -c "$c" -- npm test',
  'aws-vault exec "$p" -- aws s3 ls',
  'direnv exec "$d" npm test',
  'xvfb-run -n "$n" npm test',
  'pixi run -e "$e" pytest',
  'cross-env NODE_ENV="$e" npm test',
  'xvfb-run -s "-screen 0 ${w}x24" npm test',
  'concurrently -p "[{time} {name}]" -n "$a,b" "npm:a" "npm:b"',
  'hyperfine -n "old (${v})" ./a',
])("a variable as an option's value or after the program is no denied command: %s", async (command) => {
  expect(await bash(make(place, { allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command)).toBe("allow");
});

test.each([
  ["npm --prefix a exec zap x", "deny"],
  ["npm --prefix=a exec -- zap x", "deny"],
  ["pnpm -w exec zap x", "deny"],
  ['npm --silent "$X" zap x', "deny"],
  ["timeout 60 -- zap x", "deny"],
  ['npm --prefix "$X" "$Y" x', "ask"],
  ['uv run -p "$X" zap x', "deny"],
  ['uv run -p "$X" "$Y" x', "ask"],
  ['uv run -p -p "$Y" x', "ask"],
  ['conda run -n "$X" zap x', "deny"],
  ['conda run --live "$X" zap x', "deny"],
  ['tmux split-window -f "$Y"', "ask"],
  ['pnpm exec exec "$Y"', "ask"],
  ["for p in 'x exec zap'; do pnpm --filter $p y; done", "ask"],
  ["for p in xaexecazap; do IFS=a; pnpm --filter $p y; done", "ask"],
  ["for p in x\ndo read p; pnpm --filter $p y; done", "ask"],
  ["for c in zap; do uv run $c x; done", "ask"],
  ["enable -f ./x.so ls", "ask"],
  [". <(echo zap x)", "ask"],
])("a command that may be the denied one stays found: %j is %s", async (command, decision) => {
  expect(await bash(make(place, { allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command)).toBe(decision);
});
