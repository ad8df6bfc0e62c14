import { asText, parseObject } from '../../src/fields';

const NEWER_FORMAT = 99;

/** A sealed row as a newer version has it: with a higher format in its header; `undefined` if it has no header. */
export function inNewerFormat(text = ''): string | undefined {
  const row = parseObject(text);
  const header = parseObject(asText(row?.['header']) ?? '');
  if (header === undefined) return undefined;
  return JSON.stringify({ ...row, header: JSON.stringify({ ...header, format: NEWER_FORMAT }) });
}
