/** In a work tree git is to work there: what names another repository, or another's files, is left out, as a git hook's environment has it. */

/** Of `git rev-parse --local-env-vars`, but for settings of the user's. */
const naming = new Set([
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
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !naming.has(name)));
}
