import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const LONGEST_COMMENT = 0xffff;
const DEFLATED = 8;

/**
 * Reads a package, which is a ZIP archive.
 * @returns the contents of its files, by name
 */
export async function readArchive(file: string): Promise<ReadonlyMap<string, Buffer>> {
  const bytes = await readFile(file);
  const last = bytes.length - 22;
  let end = last;
  while (end >= 0 && end >= last - LONGEST_COMMENT && bytes.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const files = new Map<string, Buffer>();
  for (let index = 0; index < count; index += 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    if (nameLength === undefined || extraLength === undefined || commentLength === undefined) throw new RangeError();
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const start = bytes.readUInt32LE(at + 42);
    const contents = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
    const packed = bytes.subarray(contents, contents + bytes.readUInt32LE(at + 20));
    files.set(name, bytes.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(packed) : packed);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}
