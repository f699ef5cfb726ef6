// Files with authorities, as the environment and settings name them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { reportUnusedAuthorities, trustAuthorities } from "../../src/session/surroundings/authorities.ts";
import { selfSigned } from "../model/support/certificate.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a certificate file that is not PEM, which Node itself would ignore silently, is reported", () => {
  const cwd = temporaryFolder();
  const { cert } = selfSigned("localhost");
  const encoded = cert.replace(/-----.*-----/gu, "");
  writeFileSync(join(cwd, "authority.cer"), Buffer.from(encoded, "base64"));
  writeFileSync(join(cwd, "authority.pem"), cert);
  const told = (env: Record<string, string>, added: Record<string, string> = {}): string[] => {
    const lines: string[] = [];
    trustAuthorities({ settingsEnv: added, env, cwd, notice: (text) => lines.push(text) });
    return lines;
  };
  const name = "NODE_EXTRA_CA_CERTS";
  const refused = [`${name} is ignored: authority.cer cannot be used (it holds no certificate in PEM form).`];
  expect(told({ [name]: "authority.cer" })).toEqual(refused);
  expect(told({}, { [name]: "authority.cer" })).toEqual(refused);
  expect(told({ [name]: "authority.pem" }, { [name]: "authority.cer" })).toEqual([]);
  expect(told({ [name]: "none.pem" })).toEqual([]);
  // A list of 200 KB, as on machines behind a proxy, took half a millisecond in each of hundreds of sessions.
  writeFileSync(join(cwd, "authority.pem"), "what Node has not read");
  expect(told({ [name]: "authority.pem" })).toEqual([]);
});

test("on a Node version that cannot add certificates while it runs, the notice says what to do", () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "authority.pem"), selfSigned("localhost").cert);
  vi.spyOn(process, "getBuiltinModule").mockReturnValue({ getCACertificates: () => [] });
  const lines: string[] = [];
  const added = { NODE_EXTRA_CA_CERTS: "authority.pem" };
  trustAuthorities({ settingsEnv: added, env: {}, cwd, notice: (text) => lines.push(text) });
  expect(lines).toEqual([
    expect.stringMatching(/authority\.pem cannot be used \(Node\.js .*: set the variable in the environment\)\.$/u),
  ]);
});

test("certificate authorities named only for the sessions are reported as not trusted", () => {
  const told = (env: Record<string, string>, ofProcess: Record<string, string>): string[] => {
    const lines: string[] = [];
    reportUnusedAuthorities(env, ofProcess, (text) => lines.push(text));
    return lines;
  };
  const named = { NODE_EXTRA_CA_CERTS: "own.pem" };
  expect(told(named, {})).toEqual([expect.stringMatching(/by the whole process.*before the process starts/u)]);
  expect([told(named, named), told({}, named)]).toEqual([[], []]);
});
