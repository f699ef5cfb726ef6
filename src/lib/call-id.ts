/**
 * Converts call ids that the API would refuse, such as `functions.Bash:0`, to a form it accepts, and back again. The servers that gave them
 * need them unchanged: Kimi's templates parse them, and LiteLLM stores Gemini's thought signatures in them.
 */
import { textDigest } from "./text-digest.ts";

/** The form in which the API accepts call ids and tool names. */
export const callIdForm = /^[a-zA-Z0-9_-]+$/;
export const toolNameForm = /^[a-zA-Z0-9_-]{1,64}$/;

const prefix = "given-";
/** OpenAI accepts no longer ids; Bedrock accepts 64 characters. */
const longest = 40;

/** Returns an acceptable id unchanged. Other ids are encoded completely, so that no server or gateway reads meaning into what is left. */
export function sendableCallId(id: string): string {
  if (callIdForm.test(id) && !id.startsWith(prefix)) return id;
  let binary = "";
  for (const byte of new TextEncoder().encode(id)) binary += String.fromCharCode(byte);
  return prefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the id as its server gave it. */
export function givenCallId(id: string): string {
  if (!id.startsWith(prefix)) return id;
  const given = decoded(id.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
  return given !== undefined && sendableCallId(given) === id ? given : id;
}

/** Shortens an encoded id for another model's server, which reads nothing into it. An id that was acceptable stays as it is. */
export function shortCallId(id: string): string {
  return id.startsWith(prefix) ? strictCallId(id) : id;
}

/** Like `shortCallId`, but also shortens acceptable ids: for a server that refused one. */
export function strictCallId(id: string): string {
  return id.length <= longest ? id : `${id.slice(0, longest - 17)}-${textDigest(id)}`;
}

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    // A host's own id that only begins like an encoded one.
    return undefined;
  }
}
