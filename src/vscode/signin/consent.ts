import { untilAborted } from '../../clock';
import type { Service } from '../../oauth/client';
import { foreignHosts } from '../../oauth/metadata';
import type { SessionInfo } from '../../sessions/sessions';
import { hasScopes } from '../../storage/record';
import { plainText } from '../texts/plainText';
import type { SignInDependencies } from './preparation';

/** As many characters of scopes are shown. */
const LONGEST_SCOPES = 200;

/**
 * Before the first sign-in, shows the hosts that a service names besides its own: a wrong one would get the tokens.
 * @returns whether the person accepts them
 */
export async function confirmHosts(
  { editor, sessions, texts }: Pick<SignInDependencies, 'editor' | 'sessions' | 'texts'>,
  service: Service,
  serviceName: string,
  signal: AbortSignal,
): Promise<boolean> {
  const known = (await sessions.list()).flatMap((session) => foreignHosts(session.service));
  const hosts = foreignHosts(service).filter((host) => !known.includes(host));
  let isConfirmed = hosts.length === 0;
  if (!isConfirmed) {
    const text = texts.signIn.foreignHosts({ service: serviceName, hosts: hosts.join(', ') });
    const confirm = (): void => {
      isConfirmed = true;
    };
    await untilAborted(signal, () => editor.message('warning', text, { [texts.buttons.continue]: confirm }));
  }
  return isConfirmed;
}

/** Says which scopes an account gets: all extensions that can use it get them too. */
export function tellWidening(
  { editor, texts }: Pick<SignInDependencies, 'editor' | 'texts'>,
  replaced: SessionInfo | undefined,
  wanted: readonly string[] = [],
): void {
  const further = wanted.filter((scope) => !hasScopes(replaced?.scopes, [scope]));
  if (replaced !== undefined && further.length > 0) {
    const scopes = plainText(further.join(' '), LONGEST_SCOPES);
    void editor.message('information', texts.signIn.widening({ account: replaced.account.label, scopes }));
  }
}
