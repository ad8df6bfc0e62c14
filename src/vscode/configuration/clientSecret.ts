import type { Dependencies } from '../dependencies';
import { buttonsFor, ExplainedError } from '../failures';
import { inputBoxes, problemText } from './configureService';
import { completeService } from './findService';
import { readService } from '../settings/settings';
import { validateText } from '../settings/validate';

/**
 * Stores the client secret of the configured service: the one that a program hands over, or else what the person enters.
 * If no service is configured, offers the person to configure one.
 * @param handedOver may be anything; `undefined` asks the person
 * @param signal closes the input box when aborted
 * @returns what to tell the person, if they entered one
 * @throws ExplainedError if a secret that's handed over can't be used; WrongSettingError; OAuthError; the store's error
 */
export async function setClientSecret(
  deps: Dependencies,
  handedOver: unknown,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { editor, log, secrets, texts } = deps;
  if (handedOver !== undefined && typeof handedOver !== 'string') {
    throw new ExplainedError({ text: texts.settings.secretNotText, offers: [] });
  }
  const service = readService(editor.settings());
  if (service === undefined) {
    if (handedOver !== undefined) {
      throw new ExplainedError({ text: texts.settings.configureFirst, offers: [] });
    }
    await editor.message('information', texts.settings.configureFirst, buttonsFor(deps, ['configure']));
    return undefined;
  }
  const question = {
    title: texts.buttons.setClientSecret,
    ...inputBoxes(texts, service, undefined).clientSecret,
    signal,
  };
  const secret = (handedOver ?? (await editor.ask(question))?.value)?.trim();
  if (secret === undefined) {
    return undefined;
  }
  const problem = problemText(texts, validateText, secret);
  if (problem !== undefined) {
    throw new ExplainedError({ text: texts.settings.wrongSecret({ problem }), offers: [] });
  }
  const complete = await completeService(deps, service);
  // If the stored one can't be read, this one is stored: that may work on the disk, which all windows see.
  if (handedOver !== undefined && secret === (await secrets.get(complete).catch(() => undefined))) {
    return undefined;
  }
  await secrets.set(complete, secret);
  log.info('The client secret was stored.');
  return handedOver === undefined ? texts.settings.secretSaved : undefined;
}
