/** The argument lists of bubblewrap: the outer one that holds the way to the proxy, and the inner one that holds the command. Pure. */
import { mountArguments, type Mount } from "./mounts.ts";
import { shellQuoted } from "../../lib/shell-quote.ts";

export interface Programs {
  bwrap: string;
  /** Absent: the command has no network at all. */
  socat?: string;
}

export interface Profile {
  mounts: readonly Mount[];
  /** The whole disk as it is: only the network is confined. */
  isDiskOpen: boolean;
  cwd: string;
  /** The kernel filter's file. */
  filter: string;
  /** /proc of the machine outside, for where none can be mounted. */
  keepsProc: boolean;
  /** The command may make namespaces of its own. */
  mayNest: boolean;
  /** Descriptors of `ways` are socket files outside. */
  ways: readonly Way[];
}

/** A port on the command's own loopback, and the socket file it leads to. */
export interface Way {
  port: number;
  socket: string;
}

/** Ports on the loopback inside, where nothing else is. */
export const httpPort = 3128;
export const socksPort = 1080;

/** The filter is read from this descriptor. */
const filterDescriptor = 9;

const shell = "/bin/sh";

/** What is to be started in place of `file` with `args`. */
export function confinedCommand(
  programs: Programs,
  profile: Profile,
  file: string,
  args: readonly string[],
): { file: string; args: string[] } {
  const inner = [programs.bwrap, ...innerArguments(programs, profile), "--", file, ...args];
  const { filter, ways } = profile;
  const run = `exec "$@" ${filterDescriptor}<"$0"`;
  if (programs.socat === undefined || ways.length === 0) return { file: shell, args: ["-c", run, filter, ...inner] };
  const bridges = [hears, ...ways.map((way) => bridge(programs.socat ?? "", way))].join(" ");
  // The network and the bridge to its proxy lie around the command's own sandbox: in there no socket file could be opened.
  const outer = "--unshare-user --unshare-pid --unshare-net --die-with-parent --dev-bind / / --".split(" ");
  return { file: programs.bwrap, args: [...outer, shell, "-c", `${bridges} ${run}`, filter, ...inner] };
}

/** Whether somebody listens on the port, given in the digits of /proc/net/tcp: state 0A there. */
const hears =
  'hears() { while read -r _ local _ state _; do case "$local $state" in *":$1 0A") return 0;; esac; done </proc/net/tcp; return 1; };';

/**
 * The command begins when the bridge listens, or will never: a request made at once would be refused. It is awaited without any
 * process: in the /proc of outside, which bubblewrap reads, a higher number may be nobody's.
 */
function bridge(socat: string, { port, socket }: Way): string {
  const listen = `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr`;
  const start = `${shellQuoted(socat)} ${listen} UNIX-CONNECT:${shellQuoted(socket)} </dev/null >/dev/null 2>&1 3>&- &`;
  const digits = port.toString(16).toUpperCase().padStart(4, "0");
  return `${start} while [ -r /proc/net/tcp ] && ! hears ${digits} && kill -0 $! 2>/dev/null; do :; done;`;
}

function innerArguments({ socat }: Programs, profile: Profile): string[] {
  const { mounts, isDiskOpen, cwd, keepsProc, mayNest, ways } = profile;
  // Before /proc and /dev, which it would cover.
  const isOpen = isDiskOpen || mounts.some(({ path, as }) => path === "/" && as === "writable");
  const isBridged = socat !== undefined && ways.length > 0;
  return [
    ..."--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try".split(" "),
    ...(isBridged ? [] : ["--unshare-net"]),
    ..."--die-with-parent --new-session --cap-drop ALL".split(" "),
    ...(mayNest ? [] : ["--disable-userns"]),
    ...(isOpen ? ["--bind", "/", "/"] : ["--ro-bind", "/", "/"]),
    ...(keepsProc ? [] : ["--proc", "/proc"]),
    "--dev",
    "/dev",
    ...mounts.filter(({ path }) => path !== "/").flatMap(mountArguments),
    "--seccomp",
    String(filterDescriptor),
    "--chdir",
    cwd,
  ];
}
