/** Builds bubblewrap's argument lists: the outer one contains the connection to the proxy, the inner one the command. Pure. */
import { mountArguments, type Mount } from "./mounts.ts";
import { quoteForShell } from "../../lib/shell-quote.ts";

export interface Programs {
  bwrap: string;
  /** If absent, the command has no network at all. */
  socat?: string;
}

export interface Profile {
  mounts: readonly Mount[];
  /** The whole disk is accessible as it is: only the network is confined. */
  isDiskOpen: boolean;
  cwd: string;
  /** The file with the kernel filter. */
  filter: string;
  /** Keep the machine's own /proc, for systems where no new one can be mounted. */
  keepsProc: boolean;
  /** Whether the command may create namespaces of its own. */
  mayNest: boolean;
  /** The ports inside that lead to socket files outside. */
  portBridges: readonly PortBridge[];
}

/** A port on the command's own loopback device, and the socket file it leads to. */
export interface PortBridge {
  port: number;
  socket: string;
}

/** Ports on the inner loopback device, which nothing else uses. */
export const httpPort = 3128;
export const socksPort = 1080;

/** The file descriptor that the filter is read from. */
const filterDescriptor = 9;

const shell = "/bin/sh";

/** What to start in place of `file` with `args`. */
export function confinedCommand(
  programs: Programs,
  profile: Profile,
  file: string,
  args: readonly string[],
): { file: string; args: string[] } {
  const inner = [programs.bwrap, ...innerArguments(programs, profile), "--", file, ...args];
  const { filter, portBridges } = profile;
  const run = `exec "$@" ${filterDescriptor}<"$0"`;
  if (programs.socat === undefined || portBridges.length === 0)
    return { file: shell, args: ["-c", run, filter, ...inner] };
  const bridges = [
    listenCheck,
    ...portBridges.map((portBridge) => bridgeScript(programs.socat ?? "", portBridge)),
  ].join(" ");
  // The network and the bridge to its proxy are outside the command's own sandbox, in which no UNIX socket could be opened.
  const outer = "--unshare-user --unshare-pid --unshare-net --die-with-parent --dev-bind / / --".split(" ");
  return { file: programs.bwrap, args: [...outer, shell, "-c", `${bridges} ${run}`, filter, ...inner] };
}

/** A shell function that tells whether somebody listens on the port, given as in /proc/net/tcp, where 0A is the state of listening. */
const listenCheck =
  'hears() { while read -r _ local _ state _; do case "$local $state" in *":$1 0A") return 0;; esac; done </proc/net/tcp; return 1; };';

/**
 * Starts a bridge and waits until it listens or has failed, because a request made too early would be refused. The wait starts no
 * processes: bubblewrap reads the outer /proc, in which a higher process id may not exist.
 */
function bridgeScript(socat: string, { port, socket }: PortBridge): string {
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const start = `${quoteForShell(socat)} ${listen} UNIX-CONNECT:${quoteForShell(socket)} </dev/null >/dev/null 2>&1 3>&- &`;
  const digits = port.toString(16).toUpperCase().padStart(4, "0");
  return `${start} while [ -r /proc/net/tcp ] && ! hears ${digits} && kill -0 $! 2>/dev/null; do :; done;`;
}

/** Settings of the kernel, which the system's root may write even without capabilities; one names a program that the kernel starts. */
const kernelFolders = ["acpi", "bus", "fs", "irq", "scsi", "sys", "sysrq-trigger"].map((name) => `/proc/${name}`);

function innerArguments({ socat }: Programs, profile: Profile): string[] {
  const { mounts, isDiskOpen, cwd, keepsProc, mayNest, portBridges } = profile;
  // The root mount precedes /proc and /dev, which it would otherwise cover.
  const isOpen = isDiskOpen || mounts.some(({ path, kind }) => path === "/" && kind === "writable");
  const isBridged = socat !== undefined && portBridges.length > 0;
  return [
    ..."--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try".split(" "),
    ...(isBridged ? [] : ["--unshare-net"]),
    ..."--die-with-parent --new-session --cap-drop ALL".split(" "),
    ...(mayNest ? [] : ["--disable-userns"]),
    ...(isOpen ? ["--bind", "/", "/"] : ["--ro-bind", "/", "/"]),
    ...(keepsProc ? [] : ["--proc", "/proc"]),
    "--dev",
    "/dev",
    ...(keepsProc ? [] : kernelFolders.flatMap((path) => ["--ro-bind-try", path, path])),
    ...mounts.filter(({ path }) => path !== "/").flatMap(mountArguments),
    "--seccomp",
    String(filterDescriptor),
    "--chdir",
    cwd,
  ];
}
