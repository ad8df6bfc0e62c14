import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. Compiled code is four folders below it. */
export const ROOT = path.resolve(__dirname, '..', '..', '..', '..');

/** The sources of the extension, by their path. */
export function sources(): ReadonlyMap<string, string> {
  const folder = path.join(ROOT, 'src');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(names.map((name) => [path.join('src', name), readFileSync(path.join(folder, name), 'utf8')]));
}

/** The name under which the editor looks a text up. */
export function keyOf(message: string, comment: readonly string[]): string {
  return comment.length === 0 ? message : `${message}/${comment.join('')}`;
}
