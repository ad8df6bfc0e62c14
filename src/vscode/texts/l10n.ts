import type { l10n } from 'vscode';

/** What looks up translations: `l10n` of VS Code. */
export interface L10n {
  t(options: Explained & { readonly args: Record<string, string | number> }): string;
}

/** A message with an explanation for translators, if the names of its placeholders don't say enough. */
interface Explained<Message = string> {
  readonly message: Message;
  readonly comment: string[];
}

/** The names of a message's placeholders, such as `service` for `Signed in to {service}.` */
type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Arguments<Message extends string> = Readonly<Record<Placeholder<Message>, string | number>>;

/** A message with placeholders becomes a function of their values, another one a string. */
type Text<Message extends string> = [Placeholder<Message>] extends [never]
  ? string
  : (args: Arguments<Message>) => string;

type Translate = <Message extends string>(message: Message | Explained<Message>) => Text<Message>;

/**
 * `l10n` of VS Code with named arguments that the compiler checks. The tool that collects the texts for translators
 * finds calls of `l10n.t` in files that import `l10n` from `vscode`, so files of texts name this type with `typeof l10n`.
 */
export type Named<Base extends L10n> = Readonly<Record<keyof Base & 't', Translate>>;

/** Has the compiler check the arguments of each text. */
export function withNamedArguments(base: L10n): Named<typeof l10n> {
  const t = (given: string | Explained): unknown => {
    const explained = typeof given === 'string' ? { message: given, comment: [] } : given;
    const fill = (args: Record<string, string | number>): string => base.t({ ...explained, args });
    return /\{\w+\}/.test(explained.message) ? fill : fill({});
  };
  return { t: t as Translate };
}
