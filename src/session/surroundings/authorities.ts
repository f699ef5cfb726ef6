/** Certificate authorities that the user's settings add to those Node trusts. Node reads the variable itself only when a process starts. */
import { resolve } from "node:path";
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { nonEmpty } from "../options/variables.ts";

const caVariable = "NODE_EXTRA_CA_CERTS";
const maxBytes = 4 * 1024 * 1024;

/** Reports authorities that a program names only for its sessions: the process has a single list, which belongs to the program. */
export function reportUnusedAuthorities(
  env: Environment,
  processEnv: Environment,
  notice: (text: string) => void,
): void {
  const path = nonEmpty(env[caVariable]);
  if (path === undefined || path === nonEmpty(processEnv[caVariable])) return;
  const way = "set it before the process starts, or call tls.setDefaultCACertificates";
  notice(`${caVariable} is ignored: authorities are trusted by the whole process, so ${way}.`);
}

/** Files from the process's own environment that were valid: Node has read them once and does not read them again. */
const validFiles = new Set<string>();

interface AuthoritySources {
  /** Variables from settings. */
  settingsEnv: Environment;
  /** The process's own variables, which take precedence. */
  env: Environment;
  cwd: string;
  notice: (text: string) => void;
}

/**
 * Adds authorities for all connections of this process from now on, since the process has a single list. For a file in its own
 * environment, Node reports that it is missing, but silently ignores one in another format.
 */
export function trustAuthorities({ settingsEnv, env, cwd, notice }: AuthoritySources): void {
  const own = nonEmpty(env[caVariable]);
  const path = own ?? nonEmpty(settingsEnv[caVariable]);
  if (path === undefined) return;
  const file = resolve(cwd, path);
  if (own !== undefined && validFiles.has(file)) return;
  const read = readRegularFile(file, maxBytes);
  if (!read.ok) {
    if (own === undefined) notice(`${caVariable} is ignored: ${path} cannot be read (${read.why}).`);
    return;
  }
  if (own !== undefined && /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/u.test(read.text)) {
    validFiles.add(file);
    return;
  }
  const certificates = read.text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/gu) ?? [];
  try {
    if (certificates.length === 0) throw new Error("it holds no certificate in PEM form");
    const tls = process.getBuiltinModule("node:tls");
    // Available since Node 22.19 and 24.5.
    if (!("setDefaultCACertificates" in tls))
      throw new Error(
        `Node.js ${process.versions.node} cannot add certificates at run time: set the variable in the environment`,
      );
    tls.setDefaultCACertificates([...new Set([...tls.getCACertificates(), ...certificates])]);
  } catch (error) {
    notice(`${caVariable} is ignored: ${path} cannot be used (${errorText(error)}).`);
  }
}
