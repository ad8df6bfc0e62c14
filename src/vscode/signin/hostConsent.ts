import { untilAborted } from '../../clock';
import type { DeviceAuthorization } from '../../oauth/types';
import { dialectOf } from '../../oauth/dialect';
import { endpointHosts } from '../../oauth/metadata';
import type { Service } from '../../oauth/service';
import { sessionsOf } from '../../sessions/currentSession';
import type { SharedSessions } from '../../sessions/sharedSessions';
import type { Editor } from '../editor/editor';
import type { ConfiguredService } from '../settings/service';
import type { Texts } from '../texts/texts';

/**
 * Asks about hosts that nobody has vouched for: those of endpoints that only the metadata names, and that of the verification
 * page. A hostile issuer could collect the tokens itself behind the genuine page of another service, or pass on a code that it got
 * there, and have its tokens as soon as the person confirms it.
 */
export class HostConsent {
  /** @param isBuiltForService whether this build is for one service, which then is trusted with its page */
  constructor(
    private readonly editor: Editor,
    private readonly sessions: Pick<SharedSessions, 'list'>,
    private readonly texts: Texts,
    private readonly isBuiltForService: boolean,
  ) {}

  /**
   * Before anything is sent to the endpoints of a service, names all hosts that are involved, unless somebody has vouched for
   * them.
   * @param found the service with its endpoints
   * @returns whether the person continues
   * @throws the signal's reason
   */
  async confirmEndpoints(service: ConfiguredService, found: Service, signal: AbortSignal): Promise<boolean> {
    const hosts = endpointHosts(found);
    return await this.#confirm(service, hosts, await this.#trusted(service), signal);
  }

  /** The same for the page, before the person sees a code, if its host isn't one of those. */
  async confirmPage(
    service: ConfiguredService,
    found: Service,
    { verificationUri }: DeviceAuthorization,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { endpointsAreDiscovered } = dialectOf(found);
    // Without discovery, the person had to enter a client secret, which they have from the service.
    if (this.isBuiltForService || service.verificationOrigin !== undefined || !endpointsAreDiscovered) {
      return true;
    }
    const confirmed = endpointHosts(found);
    const hosts = [...confirmed, hostOf(verificationUri)];
    const isKnown = sessionsOf(await this.sessions.list(), service.id).length > 0;
    return isKnown || (await this.#confirm(service, hosts, [hostOf(found.baseUrl), ...confirmed], signal));
  }

  /** In a dialog: a message would be gone after some seconds, and isn't shown while the person doesn't want to be disturbed. */
  async #confirm(
    { id, name: service }: ConfiguredService,
    hosts: readonly string[],
    trusted: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (hosts.every((host) => trusted.includes(host))) {
      return true;
    }
    const { continueSignIn, involvedHosts } = this.texts.signIn;
    const involved = [...new Set([hostOf(id.baseUrl), ...hosts])].join(', ');
    const risk = involvedHosts({ service, hosts: involved });
    const button = this.texts.buttons.continue;
    return await untilAborted(signal, () => this.editor.confirm(continueSignIn({ service }), risk, button));
  }

  /** The hosts of endpoints that somebody has vouched for: in the settings, or by signing in before. */
  async #trusted(service: ConfiguredService): Promise<readonly string[]> {
    const { baseUrl } = service.id;
    const set = Object.values(service.endpoints).map((address) => hostOf(address, baseUrl));
    // Other services' sessions say nothing: a hostile service may name the hosts of any other.
    const sessions = sessionsOf(await this.sessions.list(), service.id);
    const known = sessions.flatMap((session) => endpointHosts(session.service));
    return [hostOf(baseUrl), ...set, ...known];
  }
}

function hostOf(address: string, base?: string): string {
  return new URL(address, base).host;
}
