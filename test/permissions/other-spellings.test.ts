// A deny rule also finds its command in another spelling: with options in another order, or with its script under another path.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const rules =
  "rm -rf *|git push --force:*|git reset --hard*|git clean -fd:*|git branch -D:*|npm run deploy|npm install:*|npm publish|" +
  "docker system prune:*|docker rm:*|kubectl delete:*|terraform apply*|make install|sed -i:*|curl -X POST:*|chmod 777:*|" +
  "find . -delete|./deploy.sh:*|/usr/bin/zap:*|scripts/release.sh|python -m http.server:*|python -c:*|bash -c:*|node -e:*|" +
  "ssh -i:*|docker run -v:*|sudo -u:*|ls -R:*|chmod -R 755:*|vitest --watch:*|fish -c:*|sort --output:*|perl -e:*";
const deny = rules.split("|").map((text) => `Bash(${text})`);
const decided = (command: string) => bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);

test.each([
  "rm -fr x",
  "rm -r -f x",
  "rm -Rf x",
  "rm -rfv x",
  "rm --recursive --force x",
  "rm --rec -f x",
  "rm x -rf",
  "sudo rm -f -r x",
  "git push origin main --force",
  "git push -f",
  "git push -uf origin main",
  "git -C sub push --forc",
  "git reset HEAD~1 --hard",
  "git clean -xfd",
  "git branch x -D",
  "npm --silent run deploy",
  "npm --prefix sub run deploy",
  "npm run-script deploy",
  "npm i x",
  "docker --context x system prune",
  "docker -D system prune -af",
  "kubectl -n x delete pod y",
  "kubectl --namespace=x delete pod y",
  "terraform -chdir=x apply -auto-approve",
  "make -j4 install",
  "sed s/a/b/ -i a.txt",
  "sed -ni p a.txt",
  "curl -sX POST x",
  "curl x -X POST",
  "chmod -R 777 x",
  "src/../deploy.sh",
  ".//deploy.sh",
  "$PWD/deploy.sh",
  "bash deploy.sh x",
  "sh -e ./deploy.sh",
  ". ./deploy.sh",
  "source deploy.sh",
  "cd sub && ../deploy.sh",
  "cd scripts && ./release.sh",
  "./scripts/release.sh",
  "zap x",
  "/bin/zap x",
  "/usr//bin/zap x",
  "/usr/bin/../bin/zap x",
  "python -u -m http.server 80",
  "python -X dev -m http.server",
  "bash -euo pipefail -c ls",
  "bash -O extglob -c ls",
  "node --conditions x -e 1",
  "ssh host -i key",
  "ssh -p 22 -i key host",
  "docker run --rm -v a:b img",
  "docker --context x run --new-option x -itv a:b img",
  "sudo -n -u x ls",
  "ls --recursive x",
  "chmod --recursive 755 x",
  "vitest run --watch",
  "make -C sub install",
  "bash -n -x deploy.sh",
  "node -p -r fs -e 1",
  "node inspect -e 1",
  "fish -p profile -c ls",
  "docker run --new-flag -p 1:2 -v a:b img",
  "perl -w $X -e 1",
  'python -u "$X" -m http.server',
  "python -u $(:) -m http.server",
  "sudo -n $X -u x ls",
  "sort --output=false a.txt",
])("a command is denied in another spelling: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});

test.each([
  "rm -r x",
  "rm -f x",
  "git push origin main",
  "git push --force-with-lease",
  "git reset --soft HEAD~1",
  "git clean -n",
  "git branch -d x",
  "git commit -m 'git push --force'",
  "npm run build",
  "npm run deploy:staging",
  "npm run test -- deploy",
  "npm publish --dry-run",
  "docker run --rm -it x",
  "docker run --name rm x",
  "docker compose rm",
  "kubectl get pods -n delete",
  "terraform plan",
  "make test",
  "sed -n 1p a.txt",
  "sed -e s/i/j/ a.txt",
  "curl -X GET x",
  "chmod +x a",
  "find . -type d -name late",
  "cat deploy.sh",
  "bash other.sh",
  "sub/zap x",
  "python x.py -m http.server",
  "python -W ignore train.py -c conf.yaml",
  "python -m pytest -c conf.ini",
  "bash build.sh -c Release",
  "node server.js -e production",
  "ssh -p 22 host grep -i x a.txt",
  "docker run --rm img pytest -v",
  "sudo grep -u x a.txt",
  "ls -ltr",
  "vitest run --watch=false",
  "make -C install",
  "make -f install",
  "bash -n deploy.sh",
])("another command is not taken for a denied one: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});
