import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completeLock } from "../../scripts/complete-lock.ts";

test("a missing binary is added with the platform of its name", () => {
  const packages = {
    "node_modules/tool": {
      version: "1.0.0",
      dev: true,
      optionalDependencies: {
        "@tool/linux-arm64-musl": "1.0.0",
        "@tool/darwin-x64": "1.0.0",
        "tool-wasm32-wasi": "1.0.0",
      },
    },
    "node_modules/@tool/darwin-x64": { version: "1.0.0" },
  };
  expect(completeLock(packages)).toEqual(["node_modules/@tool/linux-arm64-musl", "node_modules/tool-wasm32-wasi"]);
  expect(packages).toMatchObject({
    "node_modules/@tool/darwin-x64": { version: "1.0.0" },
    "node_modules/@tool/linux-arm64-musl": {
      version: "1.0.0",
      os: ["linux"],
      cpu: ["arm64"],
      libc: ["musl"],
      dev: true,
      optional: true,
    },
    "node_modules/tool-wasm32-wasi": { cpu: ["wasm32"] },
  });
  expect(completeLock(packages)).toEqual([]);
});

test("a second version of a tool gets its own binary below itself", () => {
  const packages = {
    "node_modules/@tool/linux-x64": { version: "2.0.0" },
    "node_modules/user/node_modules/tool": { version: "1.0.0", optionalDependencies: { "@tool/linux-x64": "1.0.0" } },
  };
  expect(completeLock(packages)).toEqual(["node_modules/user/node_modules/tool/node_modules/@tool/linux-x64"]);
});

test("a name without a platform is an error", () => {
  const packages = { "node_modules/tool": { optionalDependencies: { extra: "1.0.0" } } };
  expect(() => completeLock(packages)).toThrow("extra is not in the registry and its name states no platform");
});

test("package-lock.json is complete (otherwise: npm run lock)", () => {
  const lock: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"));
  expect(lock).toMatchObject({ lockfileVersion: 3 });
  expect(completeLock((lock as { packages: Parameters<typeof completeLock>[0] }).packages)).toEqual([]);
});

test("package-lock.json names only the public registry", () => {
  const text = readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8");
  const places = [...text.matchAll(/"resolved": "([^"]*)"/g)].map(([, place]) => place);
  expect(places.filter((place) => !place?.startsWith("https://registry.npmjs.org/"))).toEqual([]);
});
