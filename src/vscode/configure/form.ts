import type { Fields } from '../../fields';
import type { ServiceId } from '../../oauth/service';
import type { Editor } from '../editor/editor';
import type { InputBoxOptions } from '../editor/quickInput';
import type { ConfiguredServices } from '../settings/services';
import { invalidValue, validateText } from '../settings/validate';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';

/** A service for the settings. */
export type ServiceElement = Fields & { readonly baseUrl: string };

/** What asks for a service. */
export interface Form {
  /** The boxes, as far as they're known by what was entered so far. @throws StoreUnavailableError */
  boxes(): Promise<readonly Box[]>;
  /** The fields of the service that were asked for, once everything is entered. */
  asked(): ServiceElement;
  /** The client secret that was entered; empty if none was. */
  readonly secret: string;
  /** Whether something other than the service, or nothing, responded at the address, and the person wants it all the same. */
  readonly isUnreached: boolean;
  /** Whether the client may have a secret although it isn't asked for: only the person knows. */
  readonly mayHaveSecret: boolean;
}

/** One input box of several. */
export interface Box extends Omit<InputBoxOptions, 'title' | 'canGoBack' | 'signal'> {
  /**
   * Takes what the person entered. It resolves with `again` to show the box once more, which then may say something else, and with
   * `canceled` if the person canceled something else that it asked.
   */
  readonly take: (value: string) => Promise<'next' | 'again' | 'canceled'>;
}

/** How boxes are shown. */
interface GuideOptions {
  readonly title: string;
  /** Closes them when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The number of the box that the person sees first, counted from 0. */
  readonly first?: number;
  /** Whether Back is in the first box, too, because something was asked before. */
  readonly canLeaveBack?: boolean;
}

/**
 * Guides a person through boxes, and back. A box that they come back to has what they entered.
 * @param boxes all of them, as far as they're known by what was entered so far
 * @returns `finished` if they answered the last one, and `back` if they went back from the first one
 */
export async function guide(
  editor: Editor,
  boxes: () => Promise<readonly Box[]>,
  { title, signal, first = 0, canLeaveBack = false }: GuideOptions,
): Promise<'finished' | 'canceled' | 'back'> {
  const entered: string[] = [];
  let index = first;
  for (;;) {
    const all = await boxes();
    const box = all[index];
    if (box === undefined) {
      return 'finished';
    }
    const { take, value = '', ...options } = box;
    const answer = await editor.ask({
      ...options,
      title,
      value: entered[index] ?? value,
      canGoBack: index > 0 || canLeaveBack,
      signal,
    });
    if (answer === undefined) {
      return 'canceled';
    }
    entered[index] = answer.value;
    const taken = answer.kind === 'back' ? 'back' : await take(answer.value);
    if (taken === 'canceled' || (taken === 'back' && index === 0)) {
      return taken;
    }
    index += { back: -1, again: 0, next: 1 }[taken];
  }
}

/** Says that a service has this base URL; `undefined` if none has. */
export function takenBy(services: ConfiguredServices, texts: ConfigurationTexts, baseUrl: string): string | undefined {
  const other = services.at(baseUrl);
  return other && texts.alreadyConfigured({ service: other.name });
}

/**
 * The input box for the client secret of this service.
 * @param options `mayBeEmpty`: whether it can stay empty, which removes the secret that's stored. By default, it can't
 */
export function secretBox(
  texts: Texts,
  service: ServiceId,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Omit<InputBoxOptions, 'title'> {
  const { clientSecret, enterSecret, removeSecret, secretRequired } = texts.settings;
  return {
    prompt: texts.common.sentences(enterSecret(shownService(service)), mayBeEmpty ? removeSecret : undefined),
    placeholder: clientSecret,
    password: true,
    validate: (text) => {
      const isLeftEmpty = mayBeEmpty && text.trim() === '';
      return isLeftEmpty ? undefined : problemText(texts, () => validateText(text), secretRequired);
    },
  };
}

/**
 * Says what's wrong with what somebody entered; `undefined` if nothing is.
 * @param validate throws if something is
 * @param ifEmpty says that nothing was entered
 */
export function problemText(
  { settings }: Texts,
  validate: () => unknown,
  ifEmpty = settings.problems.empty,
): string | undefined {
  const invalid = invalidValue(validate);
  if (invalid === undefined) {
    return undefined;
  }
  return invalid.problem.kind === 'empty' ? ifEmpty : settings.advice(invalid.problem);
}
