import { Toast } from '../../../../src/vscode/editor/toast';
import type { Notice } from '../../../../src/sessions/notice';
import type { SessionInfo } from '../../../../src/sessions/currentSession';
import type { SignInRequest } from '../../../../src/vscode/signin/request';
import { AccountNames } from '../../../../src/vscode/accounts/accountNames';
import { AccountActions, type AccountsWiring } from '../../../../src/vscode/accounts/actions';
import { accountCommands } from '../../../../src/vscode/accounts/commands';
import { Notices } from '../../../../src/vscode/accounts/notices';
import { Messages } from '../../../../src/vscode/failures/messages';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { english } from '../english';
import type { L10n } from '../../../../src/vscode/texts/l10n';
import { type Element, FakeEditor } from '../fakeEditor';
import { SERVICE, sessionOf } from '../fakeSessions';
import { type Configuration, readConfiguration } from '../../../../src/vscode/settings/configuration';

export const MINUTE = 60_000;

/** What the actions on accounts work with, in the hands of the test. */
class AccountsBench {
  readonly clock = new FakeClock();
  readonly editor = new FakeEditor();
  readonly log = new RecordingLog();
  readonly hidden: SessionInfo[] = [];
  /** What was set off. */
  readonly done: string[] = [];
  /** Whether the service ends the tokens of a session that's signed out of; `undefined` if there are none anymore. */
  revoked: Promise<boolean> | undefined = Promise.resolve(true);
  /** When the message was shown whose button began a sign-in last. */
  since: number | undefined;
  /** Tells of a notice while a session is refreshed. */
  notify: (notice: Notice) => void = () => undefined;
  /** Fails what is done with sessions. */
  fault: Error | undefined;
  readonly #onSession = (what: string): Promise<void> =>
    this.fault === undefined ? this.#act(what) : Promise.reject(this.fault);

  readonly signIn = {
    isRunning: false,
    start: (request: SignInRequest = {}) => this.#begin(request),
    startAtChosenService: (request: SignInRequest = {}) => this.#begin(request),
    startIfNeeded: (request: SignInRequest, since: number) => {
      this.since = since;
      return this.#begin(request);
    },
  };

  readonly settings = { current: configurationOf() };

  readonly brand = {
    displayName: 'Some Brand',
    prefix: 'someBrand',
    commands: ['configure', 'setClientSecret', 'showLog'],
    troubleshooting: 'https://github.example/acme/blob/HEAD/docs/troubleshooting.md',
    configuredBy: 'person' as const,
  };

  readonly sessions: AccountsWiring['sessions'] = {
    list: () => Promise.resolve(this.known.map((info) => sessionOf(info.account.label, info.id, info))),
    listAll: () => Promise.resolve([...this.known, ...this.hidden]),
    listHidden: () => Promise.resolve(this.hidden),
    onNotice: (listener) => {
      this.notify = listener;
      return { dispose: () => undefined };
    },
    remove: (id) => this.#onSession(`remove ${id}`).then(() => ({ revoked: this.revoked })),
    rename: (id, label) => this.#onSession(`rename ${id} ${label}`),
    refreshNow: (id) => this.#onSession(`refresh ${id}`),
  };

  constructor(readonly known: SessionInfo[]) {
    this.editor.runOwn = (command, ...args) =>
      this.#act(
        [command, ...args]
          .filter((one) => one !== undefined)
          .map(String)
          .join(' '),
      );
  }

  /** Runs a command, with its texts in English if left out. */
  readonly run = async (command: string, argument?: unknown, l10n = english): Promise<unknown> =>
    await accountCommands(this.#wiring(l10n), this.actions(l10n))[command]?.(argument);

  actions(l10n = english): AccountActions {
    return new AccountActions(this.#wiring(l10n));
  }

  notices(l10n = english): Notices {
    return new Notices(this.#wiring(l10n), this.actions(l10n));
  }

  #wiring(l10n: L10n): AccountsWiring {
    const { brand, clock, editor, log, sessions, settings, signIn } = this;
    const texts = createTexts(l10n, 'en');
    const messages = new Messages(brand, editor, settings, texts);
    const names = new AccountNames(settings, texts);
    const toast = new Toast(clock, editor);
    return { toast, brand, clock, editor, log, messages, names, sessions, settings, signIn, texts };
  }

  #begin({ accountId, accountLabel, isForAnother, services = [] }: SignInRequest): Promise<void> {
    const where = services.filter((baseUrl) => baseUrl !== SERVICE.baseUrl).map((baseUrl) => `to ${baseUrl}`);
    const whose = accountLabel ?? accountId ?? (isForAnother ? 'to another account' : '');
    return this.#act(['sign in', whose, ...where].join(' '));
  }

  #act(what: string): Promise<void> {
    this.done.push(what);
    return Promise.resolve();
  }
}

/** The settings of the service of all sessions here, and these. */
export function configurationOf(fields: Element = {}, others: readonly Element[] = []): Configuration {
  return readConfiguration([{ ...SERVICE, serviceName: 'My Service', ...fields }, ...others], 'Some Brand');
}

/** Accounts with these sessions. */
export function accountsBench(...sessions: SessionInfo[]): AccountsBench {
  return new AccountsBench(sessions);
}

/** A session of Ada's, in the middle of its life. */
export function adasSession(fields: Partial<SessionInfo> = {}): SessionInfo {
  const now = new FakeClock().now();
  return sessionOf('Ada', 'one', {
    signedInAt: now - 180 * MINUTE,
    obtainedAt: now,
    expiresAt: now + 42 * MINUTE,
    nextRefreshAt: now + 30 * MINUTE,
    ...fields,
  });
}
