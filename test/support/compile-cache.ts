/** For programs that are started as sources and given an environment of their own: they lose their types once, not in each process. */
export function compileCacheVariables(): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
