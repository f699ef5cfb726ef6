/**
 * Variables that no project may set, trusted or not: they decide where requests go, who is trusted, or what a program loads, or they run
 * something themselves. A name that ends in `*` matches all names with that beginning.
 */
const requestVariables = `ANTHROPIC_* CLAUDE_CONFIG_DIR CLAUDE_ENV_FILE CLAUDE_CODE_API_* CLAUDE_CODE_SHELL CLAUDE_CODE_SHELL_PREFIX
  CLAUDE_AGENT_SDK_* CLAUDE_CODE_CLIENT_* CLAUDE_CODE_DISABLE_CLAUDE_MDS CLAUDE_CODE_RESUME_* CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_SIMPLE
  CLAUDE_CODE_SUBPROCESS_ENV_SCRUB CLAUDE_CODE_EXTRA_BODY CLAUDE_CODE_SKIP_* CLAUDE_CODE_ENABLE_TELEMETRY CLAUDE_CODE_ENHANCED_TELEMETRY_*
  CLAUDE_CODE_OTEL_* CLAUDE_CODE_PROPAGATE_TRACEPARENT TRACEPARENT TRACESTATE CLAUDE_CODE_TMPDIR CLAUDE_CODE_USE_* PAWL_*
  AWS_* AZURE_* GOOGLE_APPLICATION_CREDENTIALS
  CLOUD_ML_REGION VERTEX_* OTEL_* HOSTALIASES RES_OPTIONS LOCALDOMAIN DOCKER_* KUBECONFIG`;
const certificateVariables = `SSL_CERT_* SSLKEYLOGFILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE CURL_HOME AWS_CA_BUNDLE OPENSSL_* GNUPGHOME
  NETRC`;
const shellVariables = `PATH HOME SHELL ENV IFS PS4 CDPATH BASH_ENV BASH_FUNC_* BASH_XTRACEFD BASHOPTS SHELLOPTS PROMPT_COMMAND ZDOTDIR
  INPUTRC TMPDIR TMP TEMP XDG_*`;
const loaderVariables = `LD_* DYLD_* GCONV_PATH LOCPATH NLSPATH NODE_* PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONUSERBASE PYTHONBREAKPOINT
  PYTHONINSPECT PYTHONEXECUTABLE PYTHONWARNINGS PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYOPT RUBYLIB GEM_* BUNDLE_* JAVA_TOOL_OPTIONS
  _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS GRADLE_USER_HOME RUSTC RUSTC_* RUSTFLAGS CARGO_*
  GOFLAGS GOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE GOENV GOROOT MAKEFLAGS MAKEFILES NPM_CONFIG_* YARN_* PNPM_* COREPACK_*
  PIP_* UV_* POETRY_* DENO_* BUN_* PHP_INI_SCAN_DIR PHPRC LUA_INIT LUA_PATH LUA_CPATH`;
const helperVariables = `GIT_* SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE
  RIPGREP_CONFIG_PATH FZF_* CC CXX LD AR`;

/** Everyday variables among these that a project may set. */
const harmlessVariables = new Set(
  `NODE_ENV GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_TERMINAL_PROMPT BUNDLE_WITHOUT
  CARGO_TERM_COLOR CARGO_INCREMENTAL PIP_DISABLE_PIP_VERSION_CHECK UV_LINK_MODE`.split(/\s+/u),
);

export const steeringVariables: readonly string[] = [
  requestVariables,
  certificateVariables,
  shellVariables,
  loaderVariables,
  helperVariables,
].flatMap((names) => names.split(/\s+/u));

const exactNames = new Set(steeringVariables.filter((name) => !name.endsWith("*")));
const namePrefixes = steeringVariables.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/** Ignores case: some programs accept either, and Windows makes no difference. */
export function isSteeringVariable(name: string): boolean {
  const plain = name.toUpperCase();
  if (harmlessVariables.has(plain)) return false;
  return (
    exactNames.has(plain) || plain.endsWith("_PROXY") || namePrefixes.some((beginning) => plain.startsWith(beginning))
  );
}
