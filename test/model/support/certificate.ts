// A self-signed certificate, made on the spot: no key lies in the repository.
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  key: string;
  cert: string;
}

export function selfSigned(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(1, 2, 840, 10045, 4, 3, 2));
  const name = sequence(tag(0x31, sequence(objectId(2, 5, 4, 3), tag(0x0c, Buffer.from(host)))));
  const validity = sequence(tag(0x17, Buffer.from("200101000000Z")), tag(0x17, Buffer.from("491231235959Z")));
  const alternativeName = sequence(tag(0x82, Buffer.from(host)));
  const extension = sequence(objectId(2, 5, 29, 17), tag(0x04, alternativeName));
  const content = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tag(0xa3, sequence(extension)),
  );
  const signature = tag(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", content, privateKey)]));
  const der = sequence(content, algorithm, signature);
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tag(number: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([number, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function objectId(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = [first * 40 + second];
  for (const value of rest) {
    const digits = [value & 0x7f];
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tag(0x06, Buffer.from(bytes));
}
