import { bestEffort } from '../../log';
import { serviceKey } from '../../oauth/service';
import { type SessionInfo, sessionsOf } from '../../sessions/currentSession';
import type { Notice } from '../../sessions/notice';
import type { NeedsUserReason } from '../../storage/record';
import type { Failure, Offer } from '../failures/failure';
import type { AccountActions, AccountsWiring } from './actions';

/** Reasons why another attempt to refresh can't help. */
const HOPELESS: readonly NeedsUserReason[] = ['no refresh token', 'rejected', 'tokens lost'];

/** The chapters that explain most of these messages. */
const SIGNED_OUT = { chapter: 'youre-signed-out-or-have-to-sign-in-again' } as const;
const DISK = { chapter: 'the-disk-or-the-keyring-doesnt-work' } as const;

/** Tells the person what happened to sessions, and what to do. */
export class Notices {
  constructor(
    private readonly wiring: AccountsWiring,
    private readonly actions: AccountActions,
  ) {}

  /** Never throws: what fails is logged. */
  show(notice: Notice): void {
    const { log, messages } = this.wiring;
    void bestEffort(log, 'warn', "The person can't be told what happened to a session", () =>
      messages.show(this.#describe(notice), { again: this.#again(notice), signIn: this.#signIn(notice) }),
    );
  }

  /** These sessions are hidden from now on, because their services aren't configured anymore. Says so for each service. */
  showHidden(sessions: readonly SessionInfo[]): void {
    const { messages, names, texts } = this.wiring;
    const services = new Map(sessions.map(({ service }) => [serviceKey(service), service]));
    for (const service of services.values()) {
      const accounts = sessionsOf(sessions, service).map(({ account }) => account.label);
      const hidden = texts.sessions.hidden({ accounts: accounts.join(', ') });
      const text = texts.common.sentences(hidden, names.howToShow(service));
      void messages.show({ severity: 'information', text, offers: ['configure', 'troubleshoot'], ...SIGNED_OUT });
    }
  }

  #describe(notice: Notice): Failure {
    const { names, texts } = this.wiring;
    const { common, sessions, signIn } = texts;
    const account = 'account' in notice ? names.of(notice) : '';
    switch (notice.kind) {
      case 'ended':
        return {
          severity: 'warning',
          text: (notice.responseLost ? sessions.responseLost : sessions.ended)({ account }),
          offers: ['signIn', 'troubleshoot'],
          ...SIGNED_OUT,
        };
      case 'credentials refused': {
        const why = signIn.refusals['wrong credentials']({ service: names.ofService(notice.service) });
        return {
          text: common.sentences(sessions.notRefreshed({ account }), why),
          offers: ['configure', 'setClientSecret', 'troubleshoot'],
          baseUrl: notice.service.baseUrl,
          field: 'clientId',
          chapter: 'the-sign-in-fails',
        };
      }
      case 'needs user': {
        const offers: readonly Offer[] = HOPELESS.includes(notice.reason) ? ['signIn'] : ['tryAgain', 'signIn'];
        return {
          severity: 'warning',
          text: sessions.needsUser[notice.reason]({ account }),
          offers: [...offers, 'troubleshoot'],
          ...SIGNED_OUT,
        };
      }
      case 'trouble':
        return {
          severity: 'warning',
          text: sessions.trouble({ account }),
          offers: ['tryAgain', 'signIn', 'troubleshoot'],
          ...SIGNED_OUT,
        };
      case 'not refreshed':
      case 'not stored': {
        const what = notice.kind === 'not stored' ? sessions.notStored : sessions.notRefreshed;
        return {
          severity: 'warning',
          text: common.sentences(what({ account }), sessions.storeProblems[notice.reason]),
          offers: ['showLog', 'troubleshoot'],
          ...DISK,
        };
      }
      case 'reload':
      case 'newer version':
        return {
          severity: 'information',
          text: sessions.storeProblems[notice.kind],
          offers: ['reloadWindow', 'troubleshoot'],
          ...DISK,
        };
      case 'key lost':
        return {
          severity: 'warning',
          text: sessions.storeProblems[notice.kind],
          offers: ['signIn', 'troubleshoot'],
          ...DISK,
        };
      default:
        return {
          severity: 'warning',
          text: sessions.storeProblems[notice.kind],
          offers: ['showLog', 'troubleshoot'],
          ...DISK,
        };
    }
  }

  /** What Try Again does. */
  #again(notice: Notice): (() => Promise<void>) | undefined {
    if (!('sessionId' in notice)) {
      return undefined;
    }
    const { account, service, sessionId: id } = notice;
    return () => this.actions.tryAgain({ account, id, service });
  }

  /** What Sign In does, which looks first whether somebody has signed in by then. */
  #signIn(notice: Notice): () => Promise<void> {
    const { clock, signIn } = this.wiring;
    const since = clock.now();
    if (!('account' in notice)) {
      return () => signIn.startIfNeeded({}, since);
    }
    const { account, service } = notice;
    // The session that has ended had the account. A new one keeps its name, because VS Code's permissions for extensions depend on it.
    const whose = notice.kind === 'ended' ? { accountLabel: account.label } : { accountId: account.id };
    return () => signIn.startIfNeeded({ ...whose, services: [service.baseUrl] }, since);
  }
}
