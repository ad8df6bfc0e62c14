import type { SessionInfo } from '../../../../src/sessions/sessions';
import type { AccountsDependencies } from '../../../../src/vscode/accounts/actions';
import { accountCommands } from '../../../../src/vscode/accounts/commands';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';

export const MINUTE = 60_000;

/** What the actions on accounts work with, in the hands of the test. */
export interface AccountsBench {
  readonly clock: FakeClock;
  readonly editor: FakeEditor;
  readonly log: RecordingLog;
  readonly known: SessionInfo[];
  readonly hidden: SessionInfo[];
  /** What was set off. */
  readonly done: string[];
  /** Fails what is done with sessions. */
  fault: Error | undefined;
  isSigningIn: boolean;
  readonly deps: AccountsDependencies;
  /** Runs a command, with its texts in English if left out. */
  readonly run: (command: string, argument?: unknown, l10n?: typeof english) => Promise<unknown>;
}

/** Accounts with these sessions. */
export function accountsBench(...sessions: readonly SessionInfo[]): AccountsBench {
  const act = (what: string) => (): Promise<void> => Promise.resolve(void bench.done.push(what));
  const onSession = (what: string): Promise<void> =>
    bench.fault === undefined ? act(what)() : Promise.reject(bench.fault);
  const clock = new FakeClock();
  const editor = new FakeEditor();
  editor.runOwn = (command) => act(command)();
  const log = new RecordingLog();
  const bench: AccountsBench = {
    ...{ clock, editor, log },
    known: [...sessions],
    hidden: [],
    done: [],
    fault: undefined,
    isSigningIn: false,
    deps: {
      ...{ clock, editor, log },
      brand: {
        prefix: 'someBrand',
        commands: ['configure', 'setClientSecret', 'showLog'],
        fixed: {},
      },
      texts: createTexts(english, 'en'),
      sessions: {
        list: () => Promise.resolve(bench.known.map((info) => sessionOf(info.account.label, info.id, info))),
        listHidden: () => Promise.resolve(bench.hidden),
        remove: (id) => onSession(`remove ${id}`),
        rename: (id, label) => onSession(`rename ${id} ${label}`),
        refreshNow: (id) => onSession(`refresh ${id}`),
        reportRejected: (token) => onSession(`report ${token}`).then(() => true),
      },
      signIn: ({ accountLabel, replaces }) => act(`sign in ${accountLabel ?? replaces ?? ''}`)(),
      isSigningIn: () => bench.isSigningIn,
    },
    run: async (command, argument, l10n = english) =>
      await accountCommands({ ...bench.deps, texts: createTexts(l10n, 'en') })[command]?.(argument),
  };
  return bench;
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
