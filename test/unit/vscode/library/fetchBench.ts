import type { AuthenticationGetSessionOptions } from 'vscode';
import { AuthorizedFetch, type AuthorizedRequestInit } from '../../../../src/vscode/library/authorizedFetch';
import { OwnSessions } from '../../../../src/vscode/requests/ownSessions';
import { readConfiguration } from '../../../../src/vscode/settings/configuration';
import { TokenSender } from '../../../../src/vscode/requests/tokenSender';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { sessionOf } from '../fakeSessions';

/** A request as the service gets it. */
export interface Sent {
  readonly method: string;
  readonly token: string | undefined;
  readonly headers: Headers;
  readonly body: string;
}

/** Requests of one account, whose session VS Code hands out for the scopes that it has, and the service that they go to. */
export class FetchBench {
  readonly clock = new FakeClock();
  readonly account = { id: '1', label: 'Ada' };
  /** What VS Code was asked: with which scopes, and how. */
  readonly asked: (readonly [scopes: readonly string[], options: AuthenticationGetSessionOptions])[] = [];
  readonly sent: Sent[] = [];
  /** The tokens that the service rejected. */
  readonly replaced: string[] = [];
  /** What the session has; `undefined` if its service has no scopes. */
  granted: readonly string[] | undefined = ['read'];
  /** What a sign-in grants. */
  grants: (wanted: readonly string[]) => readonly string[] = (wanted) => wanted;
  declines: Error | undefined;
  /** How often the session's token was replaced. */
  generation = 1;
  /** What the service responds. */
  respond: (request: Sent) => Response = () => new Response('done');
  protocol = 'rfc8628';

  readonly #tokenSender = new TokenSender(this.clock);

  call(input: string | URL | Request = 'https://api.example/', init?: AuthorizedRequestInit): Promise<Response> {
    return this.#authorized().send(input, init);
  }

  #authorized(): AuthorizedFetch {
    const service = {
      protocol: this.protocol,
      baseUrl: 'https://acme.example',
      clientId: 'tools',
      serviceName: 'Acme',
    };
    // As Node.js takes them, without a network.
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      const request = new Request(url, init);
      const sent = {
        method: request.method,
        token: request.headers.get('Authorization')?.replace('Bearer ', ''),
        headers: request.headers,
        body: await request.text(),
      };
      this.sent.push(sent);
      return this.respond(sent);
    };
    const { account } = this;
    const ownSessions = new OwnSessions(
      {
        list: () => Promise.resolve([sessionOf('Ada', 'session', { account, scopes: this.granted })]),
        replaceRejected: (token) => {
          this.replaced.push(token);
          this.generation += 1;
          return Promise.resolve(true);
        },
        reportRejected: () => Promise.resolve(false),
      },
      (scopes, options) => {
        this.asked.push([scopes, options]);
        return this.#session(scopes, options);
      },
      this.clock,
      new RecordingLog(),
    );
    const settings = { current: readConfiguration([service], 'Acme') };
    return new AuthorizedFetch(fetch, 'Acme', settings, ownSessions, this.#tokenSender);
  }

  #lacking(scopes: readonly string[]): readonly string[] {
    const { granted } = this;
    return granted === undefined ? [] : scopes.filter((scope) => !granted.includes(scope));
  }

  async #session(scopes: readonly string[], { createIfNone }: AuthenticationGetSessionOptions) {
    await Promise.resolve();
    if (this.#lacking(scopes).length > 0) {
      if (createIfNone === undefined) return undefined;
      if (this.declines !== undefined) throw this.declines;
      this.granted = [...(this.granted ?? []), ...this.grants(scopes)];
    }
    const accessToken = `${this.generation}:${(this.granted ?? []).join('+')}`;
    return { id: 'session', accessToken, account: this.account, scopes };
  }
}
