// The rule that the answer "always" would add: never more than what was shown and a known, harmless tail.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, make, makePlace, verdict, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.cwd, "src"));
  mkdirSync(join(place.root, "other/deep"), { recursive: true });
  symlinkSync("src", join(place.cwd, "link"));
  symlinkSync("round", join(place.cwd, "round"));
});
afterAll(() => place.remove());

const all = (...lists: readonly string[][]): string[] => lists.flat();

async function offered(tool: string, input: Record<string, unknown>, setup: Setup = {}): Promise<string | undefined> {
  const rules: (string | undefined)[] = [];
  const ask = async ({ suggestedRule }: { suggestedRule?: string | undefined }) => {
    rules.push(suggestedRule);
    return { behavior: "deny" as const };
  };
  await call(make(place, { ask, ...setup }), place.cwd, tool, input);
  expect(rules).toHaveLength(1);
  return rules[0];
}

test.each(
  all(
    ["npm test", "npm t", "npm run a", "npm ci", "pnpm test", "pnpm run a", "yarn test", "yarn run a", "bun test"],
    ["bun run a", "deno test", "deno check", "deno lint", "cargo build", "cargo check", "cargo test", "cargo clippy"],
    ["cargo fmt", "go build", "go test", "go vet", "mvn test", "gradle test", "dotnet test", "dotnet build"],
    ["swift test", "mix test", "git add", "git commit", "tsc", "eslint", "prettier", "jest", "vitest"],
    ["pytest", "mypy", "ruff check", "rspec", "phpunit"],
  ),
)("the suggested rule for %s allows any arguments", async (prefix) => {
  expect(await offered("Bash", { command: `${prefix} x` })).toBe(`Bash(${prefix} *)`);
});

test.each([
  ["npm run", "Bash(npm run)"],
  ["npm run -x a", "Bash(npm run -x a)"],
  ["npm install x", "Bash(npm install x)"],
  ["git push x", "Bash(git push x)"],
  ["node a.js x", "Bash(node a.js x)"],
  ["npm test; npm publish", "Bash(npm test; npm publish)"],
  ['npm run "$X" y', String.raw`Bash(npm run "$X" y)`],
  ["npm run a* y", String.raw`Bash(npm run a\* y)`],
  [`touch ${"a".repeat(494)}`, `Bash(touch ${"a".repeat(494)})`],
  [`touch ${"a".repeat(495)}`, undefined],
  ["touch a\tb", undefined],
])("the suggested rule for %s is exact, or missing", async (command, rule) => {
  expect(await offered("Bash", { command })).toBe(rule);
});

// Seen: "always" for a git add with a glob added a rule that did not cover it, so each one was asked about again.
test.each([
  ["git add *", String.raw`Bash(git add \*)`],
  ["git add -- *.txt", String.raw`Bash(git add -- \*.txt)`],
  ["git add {a,b}", "Bash(git add {a,b})"],
  ["git add src/*", "Bash(git add *)"],
])("the suggested rule for %s covers it", async (command, rule) => {
  expect(await offered("Bash", { command })).toBe(rule);
  expect(await verdict(make(place, { allow: [rule] }), place.cwd, "Bash", { command })).toBe("allow");
});

test("the rule for reading a file names its folder, unless it is secret, in a hidden or broad folder, or linked", async () => {
  const other = join(place.root, "other/deep");
  const reading = (path: string) => offered("Read", { file_path: path });
  expect(await reading(join(other, "x.ts"))).toBe(`Read(/${other}/**)`);
  expect(await reading("/a/b/c/x.ts")).toBe("Read(//a/b/c/**)");
  expect(await reading("/a/b/x.ts")).toBe("Read(//a/b/x.ts)");
  expect(await reading("/a/b/c/.d/x.ts")).toBe("Read(//a/b/c/.d/x.ts)");
  expect(await reading("/a/b/c/.x")).toBe("Read(//a/b/c/.x)");
  expect(await reading(join(other, "server.pem"))).toBe(`Read(/${other}/server.pem)`);
  expect(await reading(join(place.cwd, ".env"))).toBe(`Read(/${place.cwd}/.env)`);
  expect(await reading(join(place.cwd, "round/x"))).toBeUndefined();
});

test("the rule for writing a file names that file, unless it is protected or behind a link", async () => {
  const writing = (path: string) => offered("Write", { file_path: join(place.cwd, path) });
  expect(await writing("src/a [1].ts")).toBe(String.raw`Edit(/${place.cwd}/src/a\ \[1\].ts)`);
  expect(await writing("link/a.ts")).toBeUndefined();
  expect(await writing("round/a.ts")).toBeUndefined();
  expect(await writing(".git/config")).toBeUndefined();
  expect(await writing("CLAUDE.md")).toBeUndefined();
});

test("no rule is suggested for what a person must be asked each time, or if answers add no rules", async () => {
  const npm = { command: "npm test" };
  expect(await offered("Bash", npm, { askRules: ["Bash(npm *)"] })).toBeUndefined();
  expect(await offered("Bash", npm, { takesAllowRules: () => false })).toBeUndefined();
  expect(await offered("Bash", { command: "rm -rf ~" }, { mode: "bypassPermissions" })).toBeUndefined();
});

test("the rule for a URL names its host, and there is none for an invalid URL", async () => {
  expect(await offered("WebFetch", { url: "https://a.example:8443/x?y" })).toBe("WebFetch(domain:a.example)");
  expect(await offered("WebFetch", { url: "no address" })).toBeUndefined();
  expect(await offered("WebFetch", { url: 5 })).toBeUndefined();
});

test.each(
  all(
    [".env", ".env.local", "secret", ".secrets", "secrets.yml", "a.pem", "a.key", "a.p12", "a.pfx", "a.jks"],
    ["a.keystore", "a.kdbx", "a.gpg", "a.asc", "a.ovpn", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa_old"],
    ["credentials", ".credentials", "credentials.json", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials"],
    [".htpasswd", ".pgpass", ".my.cnf", ".vault-token", "service-account.json", "service_account-x.json"],
    ["serviceAccountKey.json", "db-secrets.json", "db_secret.yaml", "db.credentials.toml", "db-credentials.ini"],
    ["db-secrets.txt", "shadow", "gshadow", "known_hosts", "authorized_keys", "environ", ".ENV", "A.PEM"],
    [".ssh/x", ".aws/x", ".gnupg/x", ".gnupg2/x", ".kube/x", ".docker/x", ".azure/x", ".gcloud/x"],
    [".password-store/x", "a/.SSH/b/x"],
  ),
)("reading %s, which may be secret, is asked about for tools and commands", async (name) => {
  expect(await verdict(make(place), place.cwd, "Read", { file_path: join(place.cwd, name) })).toBe("ask");
  expect(await verdict(make(place), place.cwd, "Bash", { command: `cat ${name}` })).toBe("ask");
});

test.each(
  all(
    [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.default", ".env.defaults"],
    ["keys.ts", "environment.ts", "secrets.example", "monkey", "pem.txt", "id_rsa.pub", "src/ssh/x"],
  ),
)("reading %s needs no permission", async (name) => {
  writeFileSync(join(place.cwd, "x"), "");
  expect(await verdict(make(place), place.cwd, "Read", { file_path: join(place.cwd, name) })).toBe("allow");
});
