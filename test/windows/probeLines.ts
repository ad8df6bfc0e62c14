import { readFile } from 'node:fs/promises';
import type { ProbeLine } from './probe/extension';

/** All that the probes wrote down so far, in the order of writing. A last line that is half written is left out. */
export async function readProbeLines(file: string): Promise<ProbeLine[]> {
  const text = await readFile(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ProbeLine);
}

/** The lines in which a probe was answered. */
export function answers(lines: readonly ProbeLine[]): Extract<ProbeLine, { kind: 'asked' }>[] {
  return lines.filter((line) => line.kind === 'asked');
}
