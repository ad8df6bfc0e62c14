import type { l10n } from 'vscode';

/** What looks up translations. */
export type L10n = Pick<typeof l10n, 't'>;

/** The names of a message's placeholders, such as `service` for `Signed in to {service}.` */
type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Arguments<Message extends string> = [Placeholder<Message>] extends [never]
  ? []
  : [args: Readonly<Record<Placeholder<Message>, string | number>>];

/** A message with an explanation for translators, if the names of its placeholders don't say enough. */
interface Explained<Message extends string> {
  readonly message: Message;
  readonly comment: string[];
}

type Translate = <Message extends string>(message: Message | Explained<Message>, ...args: Arguments<Message>) => string;

/**
 * `l10n` of VS Code, but a missing argument is a compile error. The tool that collects the texts for translators finds
 * calls of `l10n.t` in files that import `l10n` from `vscode`, so files of texts name this type with `typeof l10n`.
 */
export type Named<Base extends L10n> = Readonly<Record<keyof Base & 't', Translate>>;

/** Has the compiler check the arguments of each text. */
export function withNamedArguments(base: L10n): Named<typeof l10n> {
  return {
    t: (message, ...[args = {}]) =>
      typeof message === 'string' ? base.t(message, args) : base.t({ ...message, args }),
  };
}
