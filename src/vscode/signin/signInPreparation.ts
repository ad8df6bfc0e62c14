import type { Credentials } from '../../oauth/client';
import { accountNameProblemInWords, anotherAccountQuestion, askAccountName } from '../sessions/accountName';
import { buttons } from '../words/buttons';
import { readConfiguration, type ServiceConfiguration } from '../configuration/configuration';
import { wrongSettingInWords } from '../configuration/settingWords';
import { uniqueName } from './accountFromService';
import { SignInError } from './signInError';
import type { SignInParts, SignInRequest } from './signInParts';

/** All that a sign-in needs to know before it begins. */
export interface PreparedSignIn {
  readonly configuration: ServiceConfiguration;
  readonly credentials: Credentials;
  readonly accountLabel: string;
  readonly replaces: string | undefined;
}

/**
 * Gathers what a sign-in needs: the settings and the client secret, asked for where they are missing, and the name of
 * the account.
 *
 * @throws the editor's cancellation where the person cancels, the signal's reason where that is aborted, and
 *   `SignInError` where a setting can't be used or written, once the person was told.
 */
export async function prepareSignIn(
  parts: SignInParts,
  request: SignInRequest,
  signal: AbortSignal,
): Promise<PreparedSignIn> {
  const { configuration, credentials } = await configured(parts, signal);
  return { configuration, credentials, ...(await account(parts, configuration, request, signal)) };
}

type Configured = Pick<PreparedSignIn, 'configuration' | 'credentials'>;

async function configured(parts: SignInParts, signal: AbortSignal): Promise<Configured> {
  for (;;) {
    const complete = await readComplete(parts);
    signal.throwIfAborted();
    if (complete !== undefined) {
      return complete;
    }
    parts.log.info('The service is not configured yet, so the person is asked for it.');
    const outcome = await parts.configureService(signal);
    signal.throwIfAborted();
    if (outcome.kind === 'not saved') {
      throw new SignInError(outcome.text);
    }
    if (outcome.kind === 'cancelled') {
      throw parts.editor.cancellation();
    }
  }
}

/** @returns `undefined` where something is missing. */
async function readComplete(parts: SignInParts): Promise<Configured | undefined> {
  const result = readConfiguration(parts.settings());
  if (result.kind === 'missing') {
    return undefined;
  }
  if (result.kind === 'wrong') {
    const name = `${parts.brand.prefix}.${result.problem.setting}`;
    const text = wrongSettingInWords(parts.l10n, name, result.problem.problem);
    parts.log.warn(`The setting ${name} can't be used: ${result.problem.problem}.`);
    void offerSetting(parts, text, name);
    throw new SignInError(text);
  }
  const { configuration } = result;
  const clientSecret = await parts.secrets.get(configuration.service);
  return clientSecret === undefined
    ? undefined
    : { configuration, credentials: { ...configuration.service, clientSecret } };
}

async function offerSetting({ editor, l10n }: SignInParts, text: string, name: string): Promise<void> {
  const { openSettings } = buttons(l10n);
  if ((await editor.message('error', text, openSettings)) === openSettings) {
    await editor.openSetting(name);
  }
}

async function account(
  parts: SignInParts,
  { serviceName, account: shape }: ServiceConfiguration,
  { accountLabel, replaces }: SignInRequest,
  signal: AbortSignal,
): Promise<Pick<PreparedSignIn, 'accountLabel' | 'replaces'>> {
  const { editor, l10n, sessions } = parts;
  const known = await sessions.list();
  signal.throwIfAborted();
  const replaced = known.find((session) => session.id === replaces);
  if (replaced !== undefined) {
    return { accountLabel: replaced.account.label, replaces: replaced.id };
  }
  const taken = known.map((session) => session.account.label);
  const wanted = accountLabel ?? (known.length === 0 ? serviceName : '');
  if (accountNameProblemInWords(l10n, wanted, taken) === undefined) {
    return { accountLabel: wanted, replaces: undefined };
  }
  if (accountLabel === undefined && shape !== undefined) {
    // The service names it at the end, or else this name is made unique.
    return { accountLabel: uniqueName(serviceName, taken), replaces: undefined };
  }
  const name = await askAccountName(editor, l10n, {
    ...anotherAccountQuestion(l10n, serviceName, taken),
    value: wanted,
    signal,
  });
  signal.throwIfAborted();
  if (name === undefined) {
    throw editor.cancellation();
  }
  return { accountLabel: name, replaces: undefined };
}
