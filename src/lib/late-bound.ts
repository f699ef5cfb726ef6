/** A value that is made later than the code that reads it: a read that comes too early is an error that names the value. */
export interface LateBound<T> {
  get(): T;
  set(value: T): void;
}

/** `name`: what the value is, such as "the ledger". */
export function lateBound<T extends object>(name: string): LateBound<T> {
  let bound: T | undefined;
  return {
    get() {
      if (bound === undefined) throw new Error(`Something asked for ${name} before it was made.`);
      return bound;
    },
    set(value) {
      bound = value;
    },
  };
}
