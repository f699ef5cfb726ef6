import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pdfFacts } from "../../src/lib/pdf-facts.ts";

const page = "<< /Type /Page /Parent 1 0 R >>\n";

function packed(text: string): Buffer {
  const data = deflateSync(text);
  const head = `9 0 obj << /Type /ObjStm /N 3 /First 20 /Length ${data.length} /Filter /FlateDecode >>\nstream\r\n`;
  return Buffer.concat([Buffer.from(head), data, Buffer.from("\nendstream endobj\n")]);
}

test("counts pages in plain text and in compressed object streams", () => {
  const file = Buffer.concat([
    Buffer.from(`%PDF-1.7\n${page.repeat(3)}`),
    packed(page.repeat(40)),
    packed(page.repeat(2)),
  ]);
  expect(pdfFacts(file)).toEqual({ pages: 45, encrypted: false });
});

test("uses the page tree's count if no page object is found, and the smaller of both numbers otherwise", () => {
  expect(pdfFacts(Buffer.from("%PDF-1.4 << /Type /Pages /Kids [] /Count 12 >>"))?.pages).toBe(12);
  expect(pdfFacts(packedFile(`<< /Type /Pages /Count 230 >>`))?.pages).toBe(230);
  expect(pdfFacts(Buffer.from(`%PDF-1.4 ${page.repeat(6)}<< /Type /Pages /Count 3 >>`))?.pages).toBe(3);
  expect(pdfFacts(Buffer.from("%PDF-1.4"))).toEqual({ pages: 0, encrypted: false });
});

function packedFile(text: string): Buffer {
  return Buffer.concat([Buffer.from("%PDF-1.5\n"), packed(text)]);
}

test("reports an encrypted file and does not unpack its object streams", () => {
  const locked = Buffer.concat([packedFile(page), Buffer.from("trailer << /Encrypt 5 0 R >>")]);
  expect(pdfFacts(locked)).toEqual({ pages: 0, encrypted: true });
});

test("returns undefined for bytes that are not a PDF", () => {
  expect(pdfFacts(Buffer.from("hello"))).toBeUndefined();
  expect(pdfFacts(Buffer.concat([Buffer.alloc(2_000, 32), Buffer.from("%PDF-1.4")]))).toBeUndefined();
});

test("ignores a stream that is damaged or unpacks to too much data", () => {
  const bomb = Buffer.concat([
    packedFile(page.repeat(2)),
    packed(" ".repeat(30 << 20)),
    Buffer.from("/ObjStm stream\nxx"),
  ]);
  expect(bomb.length).toBeLessThan(100_000);
  expect(pdfFacts(bomb)?.pages).toBe(2);
});

test("does not unpack the same stream again for each mention of it", () => {
  const many = Buffer.concat([Buffer.from("/ObjStm ".repeat(100)), packed(" ".repeat(30 << 20))]);
  expect(pdfFacts(Buffer.concat([Buffer.from("%PDF-1.5 "), ...Array.from({ length: 60 }, () => many)]))?.pages).toBe(0);
});

test("returns facts for any bytes after the header", () => {
  const pieces = fc.array(
    fc.oneof(fc.string(), fc.constantFrom(page, "/ObjStm", "stream\n", "/Count 3", "/Encrypt <<")),
  );
  fc.assert(fc.property(pieces, (parts) => pdfFacts(Buffer.from(`%PDF-1.4${parts.join("")}`)) !== undefined));
});
