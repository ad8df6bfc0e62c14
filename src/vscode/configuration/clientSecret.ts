import type { Dependencies } from '../dependencies';
import { buttonsFor, ExplainedError } from '../failures';
import type { InputBoxOptions } from '../editor/quickInput';
import { shownService } from '../texts/plainText';
import type { Texts } from '../texts/texts';
import { completeService } from './findService';
import { readService } from '../settings/settings';
import { invalidValue, validateText } from '../settings/validate';
import type { ServiceId } from '../../oauth/client';

/**
 * Stores the client secret of the configured service: the one that a program hands over, or else what the person enters.
 * If no service is configured, offers the person to configure one if that's possible.
 * @param handedOver may be anything; `undefined` asks the person
 * @param signal closes the input box when aborted
 * @returns what to tell the person, if they entered one
 * @throws ExplainedError if a secret that's handed over can't be used, or there's no service and no way to configure one;
 *   WrongSettingError; OAuthError; the store's error
 */
export async function setClientSecret(
  deps: Dependencies,
  handedOver: unknown,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { configureService, editor, log, secrets, serviceName, texts } = deps;
  if (handedOver !== undefined && typeof handedOver !== 'string') {
    throw new ExplainedError({ text: texts.settings.secretNotText, offers: [] });
  }
  const service = readService(editor.settings());
  if (service === undefined) {
    const { configureFirst, noService } = texts.settings;
    if (configureService === undefined) {
      throw new ExplainedError({ text: noService({ service: serviceName() }), offers: [] });
    }
    if (handedOver !== undefined) {
      throw new ExplainedError({ text: configureFirst, offers: [] });
    }
    await editor.message('information', configureFirst, buttonsFor(deps, ['configure']));
    return undefined;
  }
  const question = { title: texts.buttons.setClientSecret, ...secretBox(texts, service), signal };
  const secret = (handedOver ?? (await editor.ask(question))?.value)?.trim();
  if (secret === undefined) {
    return undefined;
  }
  const problem = problemText(texts, validateText, secret);
  if (problem !== undefined) {
    throw new ExplainedError({ text: texts.settings.wrongSecret({ problem }), offers: [] });
  }
  const complete = await completeService(deps, service);
  // If the stored secret can't be read, store this one: writing it to the disk may work.
  if (handedOver !== undefined && secret === (await secrets.get(complete).catch(() => undefined))) {
    return undefined;
  }
  await secrets.set(complete, secret);
  log.info('The client secret was stored.');
  return handedOver === undefined ? texts.settings.secretSaved : undefined;
}

/** The input box for the client secret of this service. */
export function secretBox(texts: Texts, service: ServiceId): Omit<InputBoxOptions, 'title'> {
  return {
    prompt: texts.settings.enterSecretOf(shownService(service)),
    placeholder: texts.settings.clientSecret,
    password: true,
    validate: (text) => problemText(texts, validateText, text),
  };
}

/** What throws if a text can't be used. */
export type Validator = (text: string) => unknown;

/** Says what's wrong with a text that somebody entered; `undefined` if nothing is. */
export function problemText({ settings }: Texts, validate: Validator, text: string): string | undefined {
  const invalid = invalidValue(() => validate(text));
  return invalid === undefined ? undefined : settings.problems[invalid.problem];
}
