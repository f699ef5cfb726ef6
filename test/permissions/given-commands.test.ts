// Rules that guard find commands that another program is given by an option, a variable, a container or its input.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

test.each([
  "docker exec web zap x",
  "docker exec -it -u root -w /app web zap x",
  "docker exec -itw /app web zap x",
  "docker exec web sh -c 'cd /a && zap x'",
  'docker exec "$C" zap x',
  "sudo docker exec web zap x",
  "docker -H tcp://a container exec web zap x",
  "docker run --rm -v $PWD:/w -p8080:80 -e A=b --name a image zap x",
  "docker run --rm --entrypoint zap image x",
  "docker run --oom-kill-disable image zap x",
  "podman run --tls-verify --env-host image zap x",
  "docker compose -f a.yml exec -T web zap x",
  "docker compose run --rm --no-deps web zap x",
  "docker-compose exec web zap x",
  "podman run --rm image env A=b zap x",
  "kubectl exec -it pod -c c -n ns -- zap x",
  "kubectl -n ns exec deploy/a -- sh -c 'zap x'",
  "kubectl create job a --image=b -- zap x",
  "distrobox enter a -- zap x",
  "nix develop -c zap x",
  "nix-shell -p a --run 'zap x'",
  "rsync -avze 'zap x' a b",
  "rsync --rsh='zap x' a b",
  "ssh -o ProxyCommand='zap x' h",
  "ssh -oProxyCommand='exec zap x' h",
  "scp -o 'ProxyCommand zap x' a h:b",
  "tar -cf a.tar --checkpoint=1 --checkpoint-action=exec='zap x' b",
  "tar -xf a.tar --to-command='zap x'",
  "tar -I 'zap x' -cf a.tar b",
  "tar --use-comp='zap x' -cf a.tar b",
  "sort --compress-prog=zap a",
  "split --filter='zap x' a",
  "rg --pre zap x a",
  "sort --compress-program=zap a",
  "man -P 'zap x' ls",
  "less '+!zap x' a",
  "vim -c ':!zap x' a",
  "vim -es '+silent !zap x' +q",
  "expect -c 'spawn zap x'",
  "csh -c 'zap x'",
  "PAGER='zap x' git log",
  "GIT_SSH_COMMAND='zap x' git fetch",
  "export GIT_EDITOR='zap x'; git commit",
  "env EDITOR='zap x' git commit",
  "time PAGER='zap x' git log",
  "sudo -u a EDITOR='zap x' git commit",
  "nohup env -i EDITOR='zap x' git commit",
  "declare -x EDITOR='zap x'",
  "bash -c \"GIT_EXTERNAL_DIFF='zap x' git diff\"",
  "git -c core.sshCommand='zap x' fetch",
  "git -c alias.a='!zap x' a",
  "git -C there -c core.pager='zap x' log",
  "git config --global core.editor 'zap x'",
  "git rebase -x 'zap x' HEAD~1",
  "git rebase --exec='zap x' HEAD~1",
  "git bisect run zap x",
  "git bisect run sh -c 'zap x'",
  "git --git-dir /a --work-tree /b -c core.pager='zap x' log",
  "git rebase --ex 'zap x' HEAD~1",
  "git submodule foreach 'zap x'",
  "git submodule --quiet foreach --recursive zap x",
  "git filter-branch --tree-filter 'zap x' HEAD",
  "git difftool -x 'zap x'",
  "echo 'zap x' | at now",
  "at now <<< 'zap x'",
  "batch <<E\nzap x\nE",
  "echo '0 5 * * * zap x' | crontab -",
  "docker exec -i web bash <<'E'\nzap x\nE",
  "kubectl exec -i pod -- sh -s <<'E'\nzap x\nE",
  "ssh -T h <<'E'\ncd a\nzap x\nE",
  "ssh -oNumberOfPasswordPrompts=0 h <<'E'\nzap x\nE",
  "echo 'zap x' | ssh -p 22 h",
  "uvx zap x",
  "pipx run zap x",
  "bun x zap x",
  "sshpass -p a ssh h zap x",
  "docker exec web docker exec web sh -c 'zap x'",
])("a deny rule finds it, in every mode, and an ask rule, too: %s", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command)).toBe("deny");
  expect(await bash(make(place, { allow: ["Bash"], askRules: ["Bash(zap *)"] }), place.cwd, command)).toBe("ask");
});

test.each([
  "docker run --rm --entrypoint sh image -c 'zap -f x'",
  "docker compose run --entrypoint 'sh -c' web 'zap -f x'",
  "git bisect run zap -f x",
  "git bisect run sh -c 'zap -f x'",
])("one for an option finds it as it is given: %s", async (command) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(zap -f *)"] });
  expect(await bash(permissions, place.cwd, command)).toBe("deny");
});

test("one that forbids pushing finds an alias of the line itself", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(git push *)"] });
  expect(await bash(permissions, place.cwd, "git -c alias.p='push origin' p")).toBe("deny");
});

test.each([
  "docker run --rm zap",
  "docker run --rm zap npm test",
  "docker run --name zap -d image",
  "docker exec zap ls",
  'docker exec "$C" sh -c "$X"',
  "docker exec $(docker ps -q) $X",
  "docker build -t zap .",
  "docker logs zap",
  "docker compose up zap",
  "docker compose logs exec zap",
  "kubectl get pods zap",
  "kubectl exec zap -- ls",
  'kubectl exec "$P" -- "$X"',
  'rsync -e "ssh -p $PORT" a h:b',
  'rsync -e "$RSH" zap h:b',
  "tar -czf zap.tar.gz zap",
  "tar -I zstd -cf a.tar zap",
  "ssh -o StrictHostKeyChecking=no h ls",
  "vim zap",
  "vim +12 zap",
  "vim -c 'wq!' zap",
  "less +/zap x",
  "man zap",
  "PAGER=less git log -- zap",
  'GIT_SSH_COMMAND="ssh -i $KEY" git fetch',
  'GIT_EDITOR="$E" git commit',
  "GIT_EDITOR=true git rebase --continue",
  "git -c user.name=zap commit -m 'zap x'",
  "git config user.name zap",
  "git rebase -i zap",
  "git submodule update zap",
  "git bisect good zap",
  "git commit -m 'run zap x'",
  "at -l",
  "ssh h cat <<'E'\nzap x\nE",
  "docker exec -i web psql <<'E'\nzap x\nE",
  "echo zap x; docker exec -it web bash -c ls",
  "echo zap x | tee a",
  "crontab -l",
  "crontab -l | grep a; echo 'zap x'",
  "ssh -NL 80:a:80 h & echo 'zap x'",
  "grep -rn EDITOR=zap src",
  "git log --grep 'PAGER=zap x'",
  "git commit -m 'EDITOR=zap is honoured'",
  "echo EDITOR=zap >> sample",
  "PAGER=cat grep GIT_SSH_COMMAND=zap x",
  "nx run a:b -- zap x",
  "docker run --rm --entrypoint ls zap x",
  "bun run zap x",
  "bun add zap",
  "pipx install zap",
])("and it finds none where nothing of that name is run: %s", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command), mode).toBe(
      "allow",
    );
});

test("what is found there takes nothing from what a rule allows, and reads no file here", async () => {
  const permissions = make(place, { allow: ["Bash(docker exec *)", "Bash(npm test)"], deny: ["Bash(zap *)"] });
  expect(await bash(permissions, place.cwd, "npm test && docker exec web sh -c 'ls /app'")).toBe("allow");
  const files = make(place, { allow: ["Bash"], deny: ["Edit(src/**)"] });
  expect(await bash(files, place.cwd, "docker exec web sh -c 'rm -r /app/tmp'")).toBe("allow");
  const pager = make(place, { allow: ["Bash"], deny: ["Bash(cat *)"] });
  expect(await bash(pager, place.cwd, "PAGER=cat git log")).toBe("allow");
});

test("cat that shows what it is given is no cat of a file", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(cat *)"] });
  for (const command of [
    "git -c core.pager=cat log",
    "GIT_PAGER=cat git log",
    "git config core.pager cat",
    "man -P cat ls",
  ])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
  for (const command of ["git -c core.pager='cat .env' log", "PAGER='cat .env' git log"])
    expect(await bash(permissions, place.cwd, command), command).toBe("deny");
});
