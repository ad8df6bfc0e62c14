import { LoggableError } from '../../log';
import type { ShownBrand } from '../brand';
import type { Actions, Editor, MessageKind } from '../editor/editor';
import { isAnyLeft } from '../settings/configuration';
import type { CurrentSettings } from '../settings/settings';
import { openServices, openServicesFile } from '../settings/openServices';
import type { AskedField } from '../settings/serviceFields';
import type { WrongSettingError } from '../settings/wrongSetting';
import type { Texts } from '../texts/texts';

/** What a message offers, by the name of the button. */
export type Offer =
  | 'configure'
  | 'getNewCode'
  | 'openSettings'
  | 'openProfileSettingsFile'
  | 'openSettingsFile'
  | 'reloadWindow'
  | 'setClientSecret'
  | 'showLog'
  | 'showStatus'
  | 'troubleshoot'
  | 'tryAgain';

/** The chapters of the page that explains messages, by their anchors there. */
export const CHAPTERS = [
  'the-service-isnt-found',
  'the-sign-in-fails',
  'youre-signed-out-or-have-to-sign-in-again',
  'the-disk-or-the-keyring-doesnt-work',
] as const;

export type Chapter = (typeof CHAPTERS)[number];

/** What a message is about, which its buttons lead to. */
export interface About {
  /** For `troubleshoot`: the chapter that explains it. */
  readonly chapter?: Chapter | undefined;
  /** What's wrong with settings. When none of it is left, there's nothing to do anymore, and the buttons say so. */
  readonly problems?: readonly WrongSettingError[] | undefined;
  /** For `configure` and `setClientSecret`: the base URL of the service; `undefined` if it's about none, or any. */
  readonly service?: string | undefined;
  /** For `configure`: what most likely has to be changed of that service; `undefined` if that's not known. */
  readonly field?: AskedField | undefined;
}

/** What went wrong, and what to do. */
export interface Failure extends About {
  /** An error, unless it's what the person wanted. */
  readonly severity?: MessageKind;
  readonly text: string;
  readonly offers: readonly Offer[];
}

/** Authors of other extensions may rely on it. */
const NAME = 'ExplainedError';

/** An error whose message is for people. If it comes from a sign-in, the person has seen that already. */
export class ExplainedError extends LoggableError {
  override readonly name = NAME;

  /** @param failure what's shown when it's caught: the message, and what it offers */
  constructor(readonly failure: Failure) {
    super(failure.text);
  }
}

/** Whether it's such an error. Of one that has come through VS Code, only the name and the message are left. */
export function isExplained(error: unknown): error is Error {
  return error instanceof Error && error.name === NAME;
}

interface MessageDependencies {
  readonly brand: ShownBrand;
  readonly editor: Editor;
  readonly settings: CurrentSettings;
  readonly texts: Texts;
}

/**
 * Buttons for what can be done, if this build has it: one for a single service can't be configured.
 * @param options what the message is about, and `again`, which begins the sign-in again
 */
export function buttonsFor(
  { brand, editor, settings, texts }: MessageDependencies,
  offers: readonly Offer[],
  { again, chapter, field, problems, service }: About & { readonly again?: (() => void) | undefined } = {},
): Actions {
  const page = brand.troubleshooting;
  const address = chapter === undefined ? page : `${page}#${chapter}`;
  const command = (name: string, ...args: readonly unknown[]) =>
    brand.commands.includes(name) ? () => editor.runOwn(name, ...args) : undefined;
  const actions: Readonly<Record<Offer, Actions[string] | undefined>> = {
    configure: command('configure', service, field),
    getNewCode: again,
    openSettings: brand.configuredBy === 'person' ? () => openServices(editor, brand) : undefined,
    openSettingsFile: () => openServicesFile(editor, brand),
    openProfileSettingsFile: () => editor.run('workbench.action.openSettingsJson'),
    reloadWindow: () => editor.run('workbench.action.reloadWindow'),
    // Without a secret as its first argument, it asks for one.
    setClientSecret: command('setClientSecret', undefined, service),
    showLog: command('showLog'),
    showStatus: command('showStatus'),
    troubleshoot: page === undefined ? undefined : () => editor.run('vscode.open', address),
    tryAgain: again,
  };
  const unlessFixed = (action: Actions[string]) => async (): Promise<void> => {
    if (problems !== undefined && !isAnyLeft(settings.current, problems)) {
      editor.showStatusMessage(texts.settings.alreadyFixed);
    } else {
      await action();
    }
  };
  return Object.fromEntries(
    offers.flatMap((offer) => {
      const action = actions[offer];
      return action === undefined ? [] : [[texts.buttons[offer], unlessFixed(action)]];
    }),
  );
}

/**
 * Shows what went wrong, with buttons for what can be done.
 * @param again begins the sign-in again, if there was one
 */
export function showFailure(dependencies: MessageDependencies, failure: Failure, again?: () => void): void {
  const { offers, severity = 'error', text } = failure;
  void dependencies.editor.message(severity, text, buttonsFor(dependencies, offers, { ...failure, again }));
}
