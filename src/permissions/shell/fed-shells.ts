/** Finds shells that get their commands from other commands: on standard input, or through a file. */
import { commandStart, devicePath, shells } from "./wrappers.ts";
import type { Word } from "./text.ts";

/** The index of the option that gives the shell a command; -1 if there is none. */
export function commandOptionIndex(shell: string, rest: readonly Word[]): number {
  return rest.findIndex(
    ({ text }) => /^-[a-zA-Z]*c/u.test(text) || (shell === "fish" && /^(?:-C|--(?:init-)?command)$/u.test(text)),
  );
}

export function shellOperands(rest: readonly Word[]): Word[] {
  return rest.filter(({ text }, index) => !/^[-+]/u.test(text) && !/^[-+]\w*[oO]$/u.test(rest[index - 1]?.text ?? ""));
}

/** Programs that run a shell if they are given no command: some always, some only with an option. */
const shellStarters = new Set(
  "chroot fakeroot nsenter runuser script su unshare pkexec run0 firejail proot linux32 linux64 i386 x86_64".split(" "),
);
const shellStartOptions = new Map([
  ["sudo", /^(?:-[A-Za-z]*[is]|--(?:lo[gin]*|sh[el]*)$)/u],
  ["doas", /^-[A-Za-z]*s/u],
  ["systemd-run", /^(?:-[A-Za-z]*S|--sh[el]*)$/u],
]);

export function readsCommandsFromInput(program: string, rest: readonly Word[]): boolean {
  const has = (option: RegExp): boolean => rest.some(({ text }) => option.test(text));
  if (shells.has(program) && has(/^-[a-zA-Z]*s/u)) return true;
  if (has(/^--(?:version|help)$/u)) return false;
  if (shells.has(program)) return commandOptionIndex(program, rest) < 0 && shellOperands(rest).length === 0;
  const shellOption = shellStartOptions.get(program);
  if (shellOption === undefined ? !shellStarters.has(program) : !has(shellOption)) return false;
  if (/^(?:su|runuser|script)$/u.test(program) && has(/^(?:-[A-Za-z]*c|--(?:session-)?command)/u)) return false;
  // The operand of these is the user to become.
  if (program === "su" || (program === "runuser" && !has(/^(?:-u|--user)/u))) return true;
  // The first word after script's options is the file it writes.
  return commandStart(program, rest) + (program === "script" ? 1 : 0) >= rest.length;
}

/** Whether the file that a shell is given may hold what another command of the line prints. `source`: the line. */
export function mayBeFromCommand({ text, known, unsure, tail = 0 }: Word, source: string): boolean {
  if (devicePath.test(text)) return true;
  if (known === text.length) return false;
  const isNamed = unsure === "value" && text.lastIndexOf("/") >= tail;
  return text.includes("<(") || (/[|<]/u.test(source) && !isNamed);
}
