/** A module that is loaded with its first use; `import()` alone would look it up anew each time, which costs more than a small tool's work. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

/** Begins what is soon to be waited for; should it fail, that is where it is heard of. */
export function loadAhead(load: () => Promise<unknown>): void {
  load().catch(() => undefined);
}
