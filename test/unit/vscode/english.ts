import type { l10n } from 'vscode';

interface Options {
  readonly message: string;
  readonly args?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

function t(message: string, ...args: (string | number | boolean)[]): string;
function t(message: string, args: Record<string, unknown>): string;
function t(options: Options): string;
function t(message: string | Options, ...args: unknown[]): string {
  const text = typeof message === 'string' ? message : message.message;
  const values = typeof message === 'string' ? args : Object.values(message.args ?? []);
  return text.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}

/** The texts as they are in the source. */
export const english: Pick<typeof l10n, 't'> = { t };
