import type { Notice } from '../../../../src/sessions/notice';
import type { SessionInfo } from '../../../../src/sessions/currentSession';
import type { SignInRequest } from '../../../../src/vscode/signin/request';
import { AccountActions, type AccountsDependencies } from '../../../../src/vscode/accounts/actions';
import { accountCommands } from '../../../../src/vscode/accounts/commands';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { english } from '../english';
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
    running: false,
    start: (request: SignInRequest = {}) => this.#begin(request),
    startAtChosenService: (request: SignInRequest = {}) => this.#begin(request),
    startIfNeeded: (request: SignInRequest, since: number) => {
      this.since = since;
      return this.#begin(request);
    },
  };

  readonly settings = { current: configurationOf() };

  readonly dependencies: AccountsDependencies = {
    clock: this.clock,
    editor: this.editor,
    log: this.log,
    brand: {
      prefix: 'someBrand',
      commands: ['configure', 'setClientSecret', 'showLog'],
      troubleshooting: 'https://github.example/acme/blob/HEAD/docs/troubleshooting.md',
      configuredBy: 'person' as const,
    },
    texts: createTexts(english, 'en'),
    sessions: {
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
    },
    settings: this.settings,
    signIn: this.signIn,
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
  readonly run = async (command: string, argument?: unknown, l10n = english): Promise<unknown> => {
    const dependencies = { ...this.dependencies, texts: createTexts(l10n, 'en') };
    return await accountCommands(dependencies, new AccountActions(dependencies))[command]?.(argument);
  };

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
  return readConfiguration(
    [{ protocol: 'draft', ...SERVICE, serviceName: 'My Service', ...fields }, ...others],
    'Some Brand',
  );
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
