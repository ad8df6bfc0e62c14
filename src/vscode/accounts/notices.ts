import { bestEffort } from '../../log';
import { sameService, serviceKey } from '../../oauth/service';
import type { Notice } from '../../sessions/notice';
import type { SessionInfo } from '../../sessions/currentSession';
import type { NeedsUserReason } from '../../storage/record';
import type { Actions } from '../editor/editor';
import { buttonsFor } from '../failures/failure';
import type { AccountActions, AccountsDependencies } from './actions';
import { accountWithService, howToShow, shownAccount, shownServiceName } from './shownAccount';

/** Reasons why another attempt to refresh can't help. */
const HOPELESS: readonly NeedsUserReason[] = ['no refresh token', 'rejected', 'tokens lost'];

/** The chapters that explain most of these messages. */
const SIGNED_OUT = { chapter: 'youre-signed-out-or-have-to-sign-in-again' } as const;
const DISK = { chapter: 'the-disk-or-the-keyring-doesnt-work' } as const;

/** Tells the person what happened to sessions, and what to do. */
export class Notices {
  constructor(
    private readonly dependencies: AccountsDependencies,
    private readonly actions: AccountActions,
  ) {}

  show(notice: Notice): void {
    const failure = "The person can't be told what happened to a session";
    void bestEffort(this.dependencies.log, 'warn', failure, () => this.#message(notice));
  }

  /** These sessions are hidden from now on, because their services aren't configured anymore. Says so for each service. */
  showHidden(sessions: readonly SessionInfo[]): void {
    const services = new Map(sessions.map(({ service }) => [serviceKey(service), service]));
    const { editor, settings, texts } = this.dependencies;
    for (const service of services.values()) {
      const ofService = sessions.filter((session) => sameService(session.service, service));
      const accounts = ofService.map((session) => shownAccount(settings.current, texts, session)).join(', ');
      const toShow = howToShow(settings.current, texts, service);
      const text = texts.common.sentences(texts.sessions.hidden({ accounts }), toShow);
      void editor.message(
        'information',
        text,
        buttonsFor(this.dependencies, ['configure', 'troubleshoot'], SIGNED_OUT),
      );
    }
  }

  #message(notice: Notice): Promise<void> {
    const { dependencies } = this;
    const { clock, editor, signIn } = dependencies;
    const since = clock.now();
    const { buttons, common, sessions, signIn: signInTexts } = dependencies.texts;
    const account =
      'account' in notice ? accountWithService(dependencies.settings.current, dependencies.texts, notice) : '';
    switch (notice.kind) {
      case 'ended':
        return editor.message('warning', (notice.responseLost ? sessions.responseLost : sessions.ended)({ account }), {
          // Keep the name of the account, because VS Code's permissions for extensions depend on it.
          [buttons.signIn]: () =>
            signIn.startIfNeeded({ accountLabel: notice.account.label, services: [notice.service.baseUrl] }, since),
          ...buttonsFor(dependencies, ['troubleshoot'], SIGNED_OUT),
        });
      case 'credentials refused': {
        const service = shownServiceName(dependencies.settings.current, notice.service);
        const why = signInTexts.refusals['wrong credentials']({ service });
        const text = common.sentences(sessions.notRefreshed({ account }), why);
        return editor.message(
          'error',
          text,
          buttonsFor(dependencies, ['configure', 'setClientSecret', 'troubleshoot'], {
            service: notice.service.baseUrl,
            field: 'clientId',
            chapter: 'the-sign-in-fails',
          }),
        );
      }
      case 'needs user':
        return editor.message('warning', sessions.needsUser[notice.reason]({ account }), this.#waysOn(notice));
      case 'trouble':
        return editor.message('warning', sessions.trouble({ account }), this.#waysOn(notice));
      case 'not refreshed':
      case 'not stored': {
        const what = notice.kind === 'not stored' ? sessions.notStored : sessions.notRefreshed;
        const text = common.sentences(what({ account }), sessions.reasons[`not stored: ${notice.problem}`]);
        return editor.message('warning', text, buttonsFor(dependencies, ['showLog', 'troubleshoot'], DISK));
      }
      case 'reload':
      case 'newer version':
        return editor.message(
          'information',
          sessions.storeProblems[notice.kind],
          buttonsFor(dependencies, ['reloadWindow', 'troubleshoot'], DISK),
        );
      case 'key lost':
      case 'other place': {
        const explainedIn = notice.kind === 'other place' ? SIGNED_OUT : DISK;
        return editor.message('warning', sessions.storeProblems[notice.kind], {
          [buttons.signIn]: () => signIn.startIfNeeded({}, since),
          ...buttonsFor(dependencies, ['troubleshoot'], explainedIn),
        });
      }
      default:
        return editor.message(
          'warning',
          sessions.storeProblems[notice.kind],
          buttonsFor(dependencies, ['showLog', 'troubleshoot'], DISK),
        );
    }
  }

  /** How the person can get another access token: by another attempt, if that may help, or by a new sign-in. */
  #waysOn(notice: Extract<Notice, { kind: 'needs user' | 'trouble' }>): Actions {
    const { account, service, sessionId } = notice;
    const { clock, signIn, texts } = this.dependencies;
    const since = clock.now();
    const request = { accountId: account.id, services: [service.baseUrl] };
    const toSignIn = { [texts.buttons.signIn]: () => signIn.startIfNeeded(request, since) };
    const mayTryAgain = notice.kind === 'trouble' || !HOPELESS.includes(notice.reason);
    const toTryAgain = { [texts.buttons.tryAgain]: () => this.actions.tryAgain({ account, id: sessionId, service }) };
    return {
      ...(mayTryAgain ? toTryAgain : {}),
      ...toSignIn,
      ...buttonsFor(this.dependencies, ['troubleshoot'], SIGNED_OUT),
    };
  }
}
