/**
 * The kernel filter of a confined command, in the kernel's format (classic BPF, little endian). It allows sockets of the network families,
 * which a namespace confines. Through UNIX sockets a daemon outside (Docker, a key agent) could be asked to do what the command may not,
 * and through others the machine's host. It refuses io_uring, which opens sockets past such filters, and the kernel's key rings, which no
 * namespace separates.
 */

interface Machine {
  /** AUDIT_ARCH_… */
  audit: number;
  socket: number;
  keys: readonly number[];
  /** The bit that marks system calls of a second table, as x32 has. */
  otherTable?: number;
}

const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, socket: 41, keys: [248, 249, 250], otherTable: 0x40000000 },
  arm64: { audit: 0xc00000b7, socket: 198, keys: [217, 218, 219] },
};

const ioUringSetup = 425;
const unixFamily = 1;
/** IPv4, IPv6, and netlink, by which the system itself is asked about the network. */
const families = [2, 10, 16];
const load = 0x20;
const equals = 0x15;
const atLeast = 0x35;
const answer = 0x06;
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1;
const notThere = 0x00050000 | 38;
const offsets = { call: 0, machine: 4, firstArgument: 16 };

type Step = [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined for processors whose system call numbers are not known here. */
export function socketFilter(processor: string, withUnix: boolean): Buffer | undefined {
  const machine = machines[processor];
  if (machine === undefined) return undefined;
  const { audit, socket, keys, otherTable } = machine;
  const checks: Step[] = [
    [load, 0, 0, offsets.machine],
    [equals, 1, 0, audit],
    [answer, 0, 0, refuse],
    [load, 0, 0, offsets.call],
    ...(otherTable === undefined
      ? []
      : ([
          [atLeast, 0, 1, otherTable],
          [answer, 0, 0, refuse],
        ] satisfies Step[])),
    [equals, 0, 1, ioUringSetup],
    [answer, 0, 0, notThere],
    ...keys.flatMap((call): Step[] => [
      [equals, 0, 1, call],
      [answer, 0, 0, refuse],
    ]),
    [equals, 1, 0, socket],
    [answer, 0, 0, allow],
    [load, 0, 0, offsets.firstArgument],
    ...[...families, ...(withUnix ? [unixFamily] : [])].flatMap((family): Step[] => [
      [equals, 0, 1, family],
      [answer, 0, 0, allow],
    ]),
    [answer, 0, 0, refuse],
  ];
  const bytes = Buffer.alloc(checks.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of checks.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
