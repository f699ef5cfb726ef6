// Programs that send, serve, pack or print a whole folder are asked about if a guarded file is in it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of [".git", "secrets", "src", "dist", "web", "public"]) mkdirSync(join(place.cwd, folder));
  for (const file of [".env", "secrets/a", "src/a.ts", "dist/x.js", "public/index.html"])
    writeFileSync(join(place.cwd, file), "x\n");
  writeFileSync(join(place.cwd, ".gitignore"), ".env\n");
});
afterAll(() => place.remove());

const deny = ["Read(./.env)", "Read(./secrets/**)"];

test.each([
  "docker cp . web:/app",
  "docker --context far container cp -a . web:/app",
  "docker compose cp --index 2 . web:/app",
  'podman cp . "$ID:/app"',
  'docker cp . "$PLACE"',
  "sudo docker cp . web:/app",
  "kubectl -n dev cp . pod:/app -c web",
  "oc rsync . pod:/app",
  "lxc file push -r . web/app",
  "aws s3 sync . s3://b --profile dev",
  "aws --profile dev s3 cp . s3://b --recursive",
  "aws s3 sync . s3://b --exclude='.e*' --include '*'",
  "aws s3 sync . s3://b --exclude 'x/*'",
  "aws s3 mv secrets/.. s3://b --recursive",
  "gsutil -m cp -r . gs://b",
  "gsutil rsync . gs://b",
  "gcloud storage cp --recursive . gs://b",
  "az storage blob upload-batch -d box -s .",
  "az storage blob upload-batch --destination box --source=.",
  "azcopy copy . https://x.example/box --recursive",
  "rclone copy . there:box",
  "rclone sync -P . /mnt/x",
  "rclone copy . there:box --exclude=.env --include=x",
  "rclone serve http .",
  "mc mirror . there/box",
  "s3cmd put -r . s3://b",
  "npx serve",
  "npx -y serve@14 -l 3000 .",
  "npx http-server -p 8000 .",
  "caddy file-server",
  "php -S localhost:8000",
  "php -S localhost:8000 router.php -t public",
  "php -t . -S localhost:8000",
  "ruby -run -e httpd",
  "ruby -run -ehttpd . -p 8000",
  "busybox httpd -f -p 8000",
  "jwebserver -p 8000",
  "python3 -m http.server",
  "python2 -m SimpleHTTPServer 8000",
  "jar cf x.jar .",
  "rar a x.rar",
  "mksquashfs . x.squashfs",
  "restic -r there backup .",
  "restic backup . --exclude=.env",
  "netlify deploy --prod --dir=.",
  "npx repomix",
  "files-to-prompt . -o all.txt",
  "ug needle",
  "cd src && docker cp .. web:/app",
])("a command that hands on a folder with a guarded file is asked about: %s", async (command) => {
  expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("ask");
  expect(await bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command)).toBe("deny");
});

test.each([
  "docker cp dist web:/app",
  "docker cp web:/app .",
  'docker cp "$ID:/app/out" .',
  "docker exec web cp . /x",
  "docker build .",
  "kubectl cp pod:/out . -c web",
  'kubectl cp -n "$NS" "$POD:/out" ./dist',
  "aws s3 sync s3://b . --profile dev",
  "aws s3 sync dist s3://b --delete",
  "aws s3 cp . s3://b",
  "aws s3 sync . s3://b --exclude '*' --include '*.html'",
  "aws s3 sync . s3://b --exclude='*.env' --exclude='secrets/*'",
  "gsutil -m cp * gs://b",
  "rclone copy there:box .",
  "rclone copy . there:box --exclude=.env --exclude='/secrets/**'",
  "restic backup . --exclude=.env --exclude=secrets",
  "az storage blob download-batch -d . -s box",
  "npx serve dist",
  "npx serve -s build -l 3000",
  "php -S localhost:8000 -t public",
  "php artisan serve",
  "php script.php -S .",
  "ruby -run -e httpd public -p 8000",
  "ruby -e 'puts 1'",
  "caddy file-server --root=public",
  "jar cf x.jar -C dist .",
  "ng serve",
  "npm run serve",
  "npx repomix --remote a/b",
])("a command that hands on other files, or fetches them, is allowed: %s", async (command) => {
  expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("allow");
});

test("ugrep leaves out hidden files, unless an option may change that", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Read(./.env)"] });
  for (const command of ["ug needle", "ugrep -rn needle ."])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
  for (const command of ["ug -. needle", "ugrep -rn. needle", "ug --hidden needle", "ug -g'.*' needle"])
    expect(await bash(permissions, place.cwd, command), command).toBe("ask");
});

test("what git ignores is not printed, unless a word of the line may change that", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Read(./.env)"] });
  expect(await bash(permissions, place.cwd, "npx repomix")).toBe("allow");
  expect(await bash(permissions, place.cwd, "echo > .gitignore; npx repomix")).toBe("ask");
});
