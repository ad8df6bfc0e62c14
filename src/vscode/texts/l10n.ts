/** What looks up translations: `l10n` of VS Code. */
export interface L10n {
  t(options: { message: string; args: Record<string, string | number>; comment: string[] }): string;
}

/** A message with these values for its placeholders. */
export function filled(message: string, args: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(args[name] ?? placeholder));
}

/** Leaves all messages as they are. */
export const ENGLISH: L10n = { t: ({ args, message }) => filled(message, args) };

/** A message with an explanation for translators, if the names of its placeholders don't say enough. */
interface Explained {
  readonly message: string;
  readonly comment: readonly string[];
}

/** Messages by their names, in groups. */
export interface Messages {
  readonly [name: string]: string | Explained | Messages;
}

/** The names of a message's placeholders, such as `service` for `Signed in to {service}.` */
type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** A message with placeholders becomes a function of their values, another one a string. */
type Text<Message extends string> = [Placeholder<Message>] extends [never]
  ? string
  : (args: Readonly<Record<Placeholder<Message>, string | number>>) => string;

/** The texts of these messages, under the same names. */
export type Translated<T> = T extends string
  ? Text<T>
  : T extends { readonly message: infer Message extends string }
    ? Text<Message>
    : { readonly [Name in keyof T]: Translated<T[Name]> };

/** Looks messages up in the person's language. The compiler checks the values of their placeholders. */
export function translate<T extends Messages>(l10n: L10n, messages: T): Translated<T> {
  const texts = Object.entries(messages).map(([name, one]) => {
    return [name, isMessage(one) ? textOf(l10n, one) : translate(l10n, one)];
  });
  return Object.fromEntries(texts) as Translated<T>;
}

function textOf(l10n: L10n, given: string | Explained): unknown {
  const { message, comment } = typeof given === 'string' ? { message: given, comment: [] } : given;
  const fill = (args: Record<string, string | number>): string => l10n.t({ message, args, comment: [...comment] });
  return /\{\w+\}/.test(message) ? fill : fill({});
}

/** Whether this is one message, rather than a group of them. */
export function isMessage(given: string | Explained | Messages): given is string | Explained {
  return typeof given === 'string' || Array.isArray(given.comment);
}
