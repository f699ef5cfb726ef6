/** Finds the words that tell a program what is to be done, and name no file: `npm run build`, `cargo test`. */
import { entriesForNames } from "../../lib/entries-for-names.ts";

/** The name of a task or subcommand. It contains no dot or slash, which a file's name might. */
const taskName = /^:?[\w\x80-\u{10ffff}][\w\x80-\u{10ffff}:+-]*$/u;
/** A resource of a cluster: `deployment/web`. */
const resourceName = /^[\w.]+\/[\w.-]+$/u;
/** Options that take no value: the next word is not theirs. */
const valuelessOption =
  /^(?:-[rqvDjkB]|--(?:recursive|silent|quiet|verbose|parallel|if-present)|-[^-]*=[^]*|--[^=]+=[^]*|\+[\w.-]+)$/u;

interface TaskProgram {
  /** Only these words say so; another one may be a file. */
  only?: RegExp;
  /** After these subcommands, one more word says what is to be done. */
  groupSubcommands?: RegExp;
  /** All operands say what is to be done. */
  isAll?: true;
  /** Other forms besides names. */
  otherForms?: RegExp;
  /** The program's own options of which the next word is not a value. */
  flags?: RegExp;
}

const scriptRunner = /^(?:run|run-script|task)$/u;
const anyWord = /^/u;

/** Programs whose first operand says what is to be done. */
const taskPrograms = new Map<string, TaskProgram>([
  ...entriesForNames(
    "cargo go dotnet terraform tofu pulumi pip pip3 uv poetry pipenv conda mamba brew apt apt-get dnf yum pacman apk snap systemctl bazel bazelisk swift zig flutter mix cabal stack opam dune wrangler firebase heroku fly flyctl serverless sls ng react-scripts expo jekyll mkdocs hugo hexo bundle gem just task go-task rake invoke inv mage moon mise dagger nix maturin trunk wasm-pack kustomize skaffold fastlane doppler infisical supabase vault railway buck2",
    {},
  ),
  ...entriesForNames("npm pnpm yarn turbo nx lerna rush composer pdm rye hatch", { groupSubcommands: scriptRunner }),
  ...entriesForNames(
    "bun dart deno vite next nuxt astro gatsby remix vue-cli-service svelte-kit storybook webpack vercel netlify",
    {
      only: /^(?:add|build|check|clean|create|deploy|dev|docs|fmt|install|lint|preview|remove|run|serve|start|task|test|update)$/u,
      groupSubcommands: scriptRunner,
    },
  ),
  ...entriesForNames("gh glab aws gcloud az", { groupSubcommands: anyWord }),
  ...entriesForNames("docker podman nerdctl", {
    groupSubcommands: /^(?:builder|buildx|compose|config|container|context|image|network|secret|system|volume)$/u,
  }),
  ["docker-compose", {}],
  ["helm", { groupSubcommands: /^(?:dependency|plugin|repo)$/u }],
  ...entriesForNames("kubectl oc", {
    otherForms: resourceName,
    groupSubcommands: /^(?:annotate|create|delete|describe|edit|explain|get|label|logs|rollout|scale|top)$/u,
  }),
  ...entriesForNames("make gmake", {
    isAll: true,
    flags: /^(?:-[BbdeikmnpqRrSstvw]*(?:[jl][\d.]+)?|--(?:always-make|dry-run|keep-going|no-[a-z-]+))$/u,
  }),
  ...entriesForNames("gradle gradlew mvn mvnw ninja ant lein sbt scons gulp grunt xcodebuild", { isAll: true }),
]);

/** `called`: the program's name. `texts`: the words after it. */
export function taskWordIndexes(called: string, texts: readonly string[]): number[] {
  const program = taskPrograms.get(called);
  if (program === undefined) return [];
  const found: number[] = [];
  const isFlag = (text: string): boolean => valuelessOption.test(text) || program.flags?.test(text) === true;
  for (const [at, text] of texts.entries()) {
    const before = texts[at - 1];
    if (text.startsWith("-") || isFlag(text)) continue;
    // The word may be that option's value.
    if (before !== undefined && before.startsWith("-") && !isFlag(before)) continue;
    const isName = taskName.test(text) || (found.length > 0 && program.otherForms?.test(text) === true);
    if (!isName || program.only?.test(text) === false) break;
    // `pnpm turbo build`
    if (program.groupSubcommands === scriptRunner && found.length === 0 && taskPrograms.has(text))
      return [at, ...taskWordIndexes(text, texts.slice(at + 1)).map((place) => at + 1 + place)];
    found.push(at);
    const isLast = found.length > 1 || program.groupSubcommands?.test(text) !== true;
    if (program.isAll !== true && isLast) break;
  }
  return found;
}
