/** In a work tree, git must work on that tree: variables that name another repository or its files are removed, as git does for hooks. */

/** The variables of `git rev-parse --local-env-vars`, except those for the user's settings. */
const repositoryVariables = new Set([
  "GIT_DIR",
  "GIT_COMMON_DIR",
  "GIT_WORK_TREE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_SHALLOW_FILE",
  "GIT_PREFIX",
]);

export function withoutOtherRepository<Value>(environment: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !repositoryVariables.has(name)));
}
