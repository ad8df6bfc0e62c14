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
  return filled(text, typeof message === 'string' ? args : [message.args ?? []]);
}

/** A text with its arguments, which are numbered or in one object by name, as the editor takes them. */
export function filled(text: string, args: readonly unknown[]): string {
  const [first] = args;
  const values = typeof first === 'object' && first !== null ? first : args;
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(Reflect.get(values, name)) : placeholder,
  );
}

/** The texts as they are in the source. */
export const english: Pick<typeof l10n, 't'> = { t };
