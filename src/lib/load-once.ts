/** Loads a module on first use. `import()` alone would look it up each time, which costs more than a small tool's work. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const loading = load();
    // A failure is reported to the caller and not kept: a machine that was short of resources may succeed later.
    loading.catch(() => (loaded = undefined));
    return loading;
  };
  return () => (loaded ??= begin());
}

/** Starts loading what will soon be needed. A failure is reported to the later caller. */
export function loadAhead(load: () => Promise<unknown>): void {
  load().catch(() => undefined);
}
