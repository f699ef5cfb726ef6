/** Confines commands with the user's sandbox-runtime (Linux and macOS). It exists once in a process, so one session has it. */
import { errorText } from "../../lib/error-text.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxCall } from "../../protocol/sandbox.ts";
import { isInside } from "../paths/path-forms.ts";
import type { Engine, EngineOptions, CommandConfinement, OpenedEngine, PreparedCommand } from "./engine.ts";
import { isAddressOrLocal } from "./hosts.ts";
import { createHostJudge } from "./network.ts";
import { programPlaces } from "./programs.ts";
import { findRuntime, loadRuntime, type RuntimeConfig, type RuntimeManager } from "./runtime-package.ts";
import type { RefusedHost } from "./violations.ts";
import { quoteForShell } from "../../lib/shell-quote.ts";

/** Whether a session of this process uses it, and when its last user has finished cleaning up. */
const runtimeHolder: { isTaken: boolean; undone: Promise<void> } = { isTaken: false, undone: Promise.resolve() };

/** A name that no host has: with an empty list, hosts could not be asked about. */
const impossibleHost = "no-host-of-anybody.pawl.invalid";

/** Undefined if sandbox-runtime is not installed. `moduleFolder` is passed to `findRuntime`. */
export async function openRuntime(
  options: EngineOptions,
  findRipgrep: () => Promise<string | null>,
  moduleFolder?: string,
): Promise<OpenedEngine | undefined> {
  const { settings } = options;
  const searched = programPlaces(options);
  const folder = findRuntime(moduleFolder === undefined ? searched : { ...searched, moduleFolder });
  if (folder === undefined) return undefined;
  const failed = (why: string): OpenedEngine => ({
    ok: false,
    why: `sandbox-runtime (${folder}) cannot be used: ${why}`,
  });
  const { httpProxyPort, socksProxyPort } = settings.network;
  if (httpProxyPort !== undefined || socksProxyPort !== undefined)
    return failed("a proxy of your own (sandbox.network.httpProxyPort, socksProxyPort) works with bubblewrap only");
  await runtimeHolder.undone;
  if (runtimeHolder.isTaken) return failed("another session of this process is using it");
  runtimeHolder.isTaken = true;
  try {
    const manager = await loadRuntime(folder);
    if (!manager.isSupportedPlatform()) throw new Error("it does not support this system");
    const engine = new RuntimeEngine(options, manager);
    await engine.start(await findRipgrep());
    return { ok: true, engine };
  } catch (error) {
    runtimeHolder.isTaken = false;
    return failed(errorText(error));
  }
}

/** The variables that sandbox-runtime itself sets. The others it returns are the process's, including credentials. */
const runtimeVariable =
  /proxy|^SANDBOX_RUNTIME$|^GIT_(?:SSH_COMMAND|CONFIG_\w+|SSL_CAINFO)$|^SSL_CERT_FILE$|_CA_(?:BUNDLE|CERTS)$/iu;

type HostJudge = ReturnType<typeof createHostJudge>;

/** A running command, in whose name hosts are judged. */
interface RunningCommand {
  judge: HostJudge;
  refusedHosts: RefusedHost[];
}

const maxRefusals = 50;

class RuntimeEngine implements Engine {
  readonly createsPlaceholders = true;
  readonly #options: EngineOptions;
  readonly #manager: RuntimeManager;
  readonly #running = new Set<RunningCommand>();
  #commandCount = 0;
  #isDisposed = false;

  constructor(options: EngineOptions, manager: RuntimeManager) {
    this.#options = options;
    this.#manager = manager;
  }

  async start(ripgrep: string | null): Promise<void> {
    const { settings, environment } = this.#options;
    const { bwrapPath, socatPath, enableWeakerNestedSandbox, network } = settings;
    const { allowedDomains, deniedDomains, allowAllUnixSockets } = network;
    await this.#manager.initialize(
      {
        // Host names are judged here, by rules that may change; only addresses must be given to it beforehand.
        network: {
          allowedDomains: [impossibleHost, ...allowedDomains.filter(isAddressOrLocal)],
          deniedDomains: deniedDomains.filter((host) => host !== "*"),
          allowAllUnixSockets,
          ...readParentProxy(environment),
        },
        filesystem: { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] },
        enableWeakerNestedSandbox,
        ...(ripgrep === null ? {} : { ripgrep: { command: ripgrep } }),
        ...(bwrapPath === undefined ? {} : { bwrapPath }),
        ...(socatPath === undefined ? {} : { socatPath }),
      },
      ({ host, port }) => this.#mayReach(host, port ?? 0),
    );
  }

  /** It is not known which of several commands wants the host, so all of them must be allowed to reach it. */
  async #mayReach(host: string, port: number): Promise<boolean> {
    const answers = await Promise.all(
      Array.from(this.#running, async (running) => {
        const answer = await running.judge(host, port);
        if (answer.verdict !== "refused") return true;
        if (running.refusedHosts.length < maxRefusals) running.refusedHosts.push({ host, port, why: answer.why });
        return false;
      }),
    );
    return answers.length > 0 && answers.every(Boolean);
  }

  async prepare(call: SandboxCall, confinement: CommandConfinement): Promise<PreparedCommand> {
    const { base, settings } = this.#options;
    const manager = this.#manager;
    this.#commandCount += 1;
    const commandId = `pawl-${this.#commandCount}`;
    const over = new AbortController();
    const judge = createHostJudge({ ...this.#options, settings: settings.network }, call, over.signal);
    const running: RunningCommand = { judge, refusedHosts: [] };
    const temporary = join(base, "tmp");
    const line = `export TMPDIR=${quoteForShell(temporary)}; exec ${[call.file, ...call.args].map(quoteForShell).join(" ")}`;
    const filesystem = runtimeFilesystem(confinement, this.#options.around.home);
    const { argv, env } = await manager.wrapWithSandboxArgv(line, undefined, { filesystem }, undefined, call.cwd, {
      commandId,
      commandText: call.input.command,
    });
    this.#running.add(running);
    const [file = "", ...args] = argv;
    const { environment: outer } = this.#options;
    const added = Object.entries(env).filter(([name, value]) => runtimeVariable.test(name) && outer[name] !== value);
    return {
      file,
      args,
      environment: (own) => ({ ...own, TMPDIR: temporary, ...(Object.fromEntries(added) as Record<string, string>) }),
      refusedHosts: () => running.refusedHosts,
      hasNetwork: true,
      observedRefusals: () => refusalsIn(manager.annotateStderrWithSandboxFailures(commandId, "")),
      release: () => {
        over.abort();
        if (this.#running.delete(running)) manager.cleanupAfterCommand();
      },
    };
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    runtimeHolder.undone = this.#manager
      .reset()
      .catch((error: unknown) => this.#options.notice(`sandbox-runtime could not be shut down: ${errorText(error)}`))
      .finally(() => {
        runtimeHolder.isTaken = false;
      });
  }
}

/** The user's own proxy, through which allowed connections leave. */
function readParentProxy(environment: EngineOptions["environment"]): Pick<RuntimeConfig["network"], "parentProxy"> {
  const of = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  const [http, https, noProxy] = [
    of("http_proxy") ?? of("all_proxy"),
    of("https_proxy") ?? of("all_proxy"),
    of("no_proxy"),
  ];
  if (http === undefined && https === undefined) return {};
  return {
    parentProxy: {
      ...(http === undefined ? {} : { http }),
      ...(https === undefined ? {} : { https }),
      ...(noProxy === undefined ? {} : { noProxy }),
    },
  };
}

/** Places that sandbox-runtime would leave writable by default. */
const runtimeWritablePlaces = (home: string): string[] => [
  "/tmp/claude",
  join(home, ".npm/_logs"),
  join(home, ".claude/debug"),
];

/** The mounts in sandbox-runtime's terms. Denied writes override allowed ones; for reading, the more specific path counts. */
export function runtimeFilesystem(
  { mounts, isDiskOpen, absent }: CommandConfinement,
  home: string,
): RuntimeConfig["filesystem"] {
  if (isDiskOpen) return { denyRead: [], allowRead: [], allowWrite: ["/"], denyWrite: [] };
  const pathsOf = (...kinds: (typeof mounts)[number]["kind"][]): string[] =>
    mounts.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const writable = pathsOf("writable");
  const hidden = pathsOf("hidden", "passage", "hidden file");
  const kept = pathsOf("readable").filter(
    (path) => writable.some((folder) => isInside(folder, path)) && !writable.some((inner) => isInside(path, inner)),
  );
  const shown = pathsOf("writable", "readable").filter((path) => hidden.some((folder) => isInside(folder, path)));
  const own = runtimeWritablePlaces(home).filter(
    (path) => existsSync(path) && !writable.some((folder) => isInside(folder, path)),
  );
  return { denyRead: hidden, allowRead: shown, allowWrite: writable, denyWrite: [...kept, ...absent, ...own] };
}

/** The lines between its tags. */
function refusalsIn(annotated: string): string[] {
  const inner = /<sandbox_violations>\n?([\s\S]*?)<\/sandbox_violations>/u.exec(annotated)?.[1] ?? "";
  // Hosts are reported by the judge that refused them.
  return inner.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("deny network-outbound"));
}
