/**
 * Converts call ids that the API would refuse, such as `functions.Bash:0`, to a form it accepts, and back again. The servers that gave them
 * need them unchanged: Kimi's templates parse them, and LiteLLM stores Gemini's thought signatures in them.
 */
import { textDigest } from "./text-digest.ts";

/** The form in which the API accepts call ids and tool names. */
export const callIdPattern = /^[a-zA-Z0-9_-]+$/;
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

const encodedPrefix = "given-";
/** OpenAI accepts no longer ids; Bedrock accepts 64 characters. */
const maxIdLength = 40;

/** Returns an acceptable id unchanged. Other ids are encoded completely, so that no server or gateway reads meaning into what is left. */
export function sendableCallId(id: string): string {
  if (callIdPattern.test(id) && !id.startsWith(encodedPrefix)) return id;
  let binary = "";
  for (const byte of new TextEncoder().encode(id)) binary += String.fromCharCode(byte);
  return encodedPrefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the id as its server gave it. */
export function originalCallId(id: string): string {
  if (!id.startsWith(encodedPrefix)) return id;
  const original = decodeBase64(id.slice(encodedPrefix.length).replaceAll("-", "+").replaceAll("_", "/"));
  return original !== undefined && sendableCallId(original) === id ? original : id;
}

/** Shortens an encoded id for another model's server, which reads nothing into it. An id that was acceptable stays as it is. */
export function shortCallId(id: string): string {
  return id.startsWith(encodedPrefix) ? strictCallId(id) : id;
}

/** Like `shortCallId`, but also shortens acceptable ids: for a server that refused one. */
export function strictCallId(id: string): string {
  return id.length <= maxIdLength ? id : `${id.slice(0, maxIdLength - 17)}-${textDigest(id)}`;
}

function decodeBase64(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    // A host's own id that only begins like an encoded one.
    return undefined;
  }
}
