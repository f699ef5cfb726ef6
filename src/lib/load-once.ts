/** A module that is loaded with its first use; `import()` alone would look it up anew each time, which costs more than a small tool's work. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const loading = load();
    // A failure is told to who asked, and is not kept: of a machine that was short of something, another moment may do.
    loading.catch(() => (loaded = undefined));
    return loading;
  };
  return () => (loaded ??= begin());
}

/** Begins what is soon to be waited for; should it fail, that is where it is heard of. */
export function loadAhead(load: () => Promise<unknown>): void {
  load().catch(() => undefined);
}
