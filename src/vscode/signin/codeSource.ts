import { type Clock, untilAborted } from '../../clock';
import type { Log } from '../../log';
import type { AuthorizationRequest, OAuthClient } from '../../oauth/types';
import type { SharedSessions } from '../../sessions/sharedSessions';
import { checkVerificationPage, DeviceCodeError, requestCode } from '../../signin/deviceFlow';
import type { PendingSignIns, ResumedSignIn } from '../../signin/pendingSignIn';
import type { ReceivedCode } from '../../signin/receivedCode';
import type { ClientSecrets } from '../../storage/clientSecrets';
import type { ConfiguredService } from '../settings/service';
import type { ChosenAccount } from './accountChoice';
import type { Attempt } from './attempt';
import { createRequest, withoutSecret, withSecret } from './authorizationRequest';
import type { HostConsent } from './hostConsent';

/** A code, and what was sent for it. */
export interface CodeWithRequest {
  readonly code: ReceivedCode;
  readonly request: AuthorizationRequest;
}

interface CodeSourceDependencies {
  readonly client: OAuthClient;
  readonly clientSecrets: Pick<ClientSecrets, 'get'>;
  readonly clock: Clock;
  readonly hosts: HostConsent;
  readonly log: Log;
  /** Saves it for the next window. */
  readonly pendingSignIns: PendingSignIns;
  readonly sessions: Pick<SharedSessions, 'prepareToAdd'>;
}

/** Where the code of a sign-in comes from. */
export class CodeSource {
  constructor(private readonly dependencies: CodeSourceDependencies) {}

  /** The code of an earlier window, or a new one. @throws OAuthError; DeviceCodeError; the store's error; the signal's reason */
  async get(attempt: Attempt, service: ConfiguredService, account: ChosenAccount): Promise<CodeWithRequest> {
    const { resumed } = attempt;
    if (resumed !== undefined) {
      return await this.#take(service, resumed);
    }
    return await this.#request(attempt, service, account);
  }

  /** The code of an earlier window. */
  async #take(service: ConfiguredService, { code, pending }: ResumedSignIn): Promise<CodeWithRequest> {
    const { clientSecrets, log } = this.dependencies;
    log.info(`Continuing a sign-in of an earlier window at ${service.id.baseUrl}.`);
    checkVerificationPage(code, service.verificationOrigin);
    return { code, request: await withSecret(clientSecrets, pending.authorizationRequest) };
  }

  /** Asks for a code, and saves it for the next window. */
  async #request(attempt: Attempt, service: ConfiguredService, { replaced }: ChosenAccount): Promise<CodeWithRequest> {
    const { client, clientSecrets, clock, hosts, log, pendingSignIns, sessions } = this.dependencies;
    const { signal, started } = attempt;
    log.info(`Signing in at ${service.id.baseUrl}.`);
    const request = await createRequest(client, clientSecrets, service, { wanted: started.scopes, replaced }, signal);
    attempt.answered(await hosts.confirmEndpoints(service, request, signal));
    // Before the person confirms anything: tokens that can't be stored would be of no use.
    await untilAborted(signal, () => sessions.prepareToAdd());
    const code = await requestCode(this.dependencies, request, signal);
    checkVerificationPage(code, service.verificationOrigin);
    attempt.answered(await hosts.confirmPage(service, request, code.authorization, signal));
    if (clock.monotonic() >= code.expiresAt) {
      throw new DeviceCodeError('expired');
    }
    const pending = pendingSignIns.begin(withoutSecret(request), attempt.request);
    pending.save(code);
    attempt.note({ pending });
    return { code, request };
  }
}
