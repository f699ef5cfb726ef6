/**
 * Whether a process that was started has its streams. Where no more files may be opened, Node gives back a child without
 * any, and its error comes as an event: unheard, that would end this process.
 */
export function hasPipes(child: { stdio?: unknown }): boolean {
  return child.stdio !== undefined;
}
