import { asText, parseObject } from '../../src/fields';

const NEWER_FORMAT = 99;

/** A sealed file as a newer version has it: with a higher format in its header; `undefined` if it has no header. */
export function inNewerFormat(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const file = parseObject(Buffer.from(bytes ?? []).toString());
  const header = parseObject(asText(file?.['header']) ?? '');
  if (header === undefined) return undefined;
  return Buffer.from(JSON.stringify({ ...file, header: JSON.stringify({ ...header, format: NEWER_FORMAT }) }));
}
