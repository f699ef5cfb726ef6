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
const networkFamilies = [2, 10, 16];
const loadOpcode = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const returnOpcode = 0x06;
const allowResult = 0x7fff0000;
const refuseResult = 0x00050000 | 1;
const missingCallResult = 0x00050000 | 38;
const offsets = { call: 0, machine: 4, firstArgument: 16 };

type FilterInstruction = [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined for processors whose system call numbers are not known here. */
export function socketFilter(processor: string, withUnix: boolean): Buffer | undefined {
  const machine = machines[processor];
  if (machine === undefined) return undefined;
  const { audit, socket, keys, otherTable } = machine;
  const checks: FilterInstruction[] = [
    [loadOpcode, 0, 0, offsets.machine],
    [jumpIfEqual, 1, 0, audit],
    [returnOpcode, 0, 0, refuseResult],
    [loadOpcode, 0, 0, offsets.call],
    ...(otherTable === undefined
      ? []
      : ([
          [jumpIfAtLeast, 0, 1, otherTable],
          [returnOpcode, 0, 0, refuseResult],
        ] satisfies FilterInstruction[])),
    [jumpIfEqual, 0, 1, ioUringSetup],
    [returnOpcode, 0, 0, missingCallResult],
    ...keys.flatMap((call): FilterInstruction[] => [
      [jumpIfEqual, 0, 1, call],
      [returnOpcode, 0, 0, refuseResult],
    ]),
    [jumpIfEqual, 1, 0, socket],
    [returnOpcode, 0, 0, allowResult],
    [loadOpcode, 0, 0, offsets.firstArgument],
    ...[...networkFamilies, ...(withUnix ? [unixFamily] : [])].flatMap((family): FilterInstruction[] => [
      [jumpIfEqual, 0, 1, family],
      [returnOpcode, 0, 0, allowResult],
    ]),
    [returnOpcode, 0, 0, refuseResult],
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
