import assert from 'node:assert/strict';
import type { Notice } from '../../../src/sessions/notices';
import type { Actions } from '../../../src/vscode/actions';
import { ActionsWhenNeeded } from '../../../src/vscode/actionsWhenNeeded';
import { COMMAND_NAMES } from '../../../src/vscode/commandNames';
import { sessionCommands } from '../../../src/vscode/sessions/sessionCommands';
import { RecordingLog } from '../../support/recordingLog';
import { settle } from '../../support/fakeClock';
import { confirmed } from '../signin/scriptedProtocol';
import { english } from './english';
import { bench, type Bench } from './signin/signInBench';

/** The actions of a bench behind what loads them, and how often they were loaded. */
class Window {
  readonly log = new RecordingLog();
  readonly notices: Notice[] = [];
  loads = 0;
  fault: Error | undefined;
  signInsWait = false;
  readonly actions = new ActionsWhenNeeded({
    load: () => this.#load(),
    signInsWait: () => Promise.resolve(this.signInsWait),
    log: this.log,
  });

  constructor(private readonly around: Bench) {}

  #load(): Promise<Actions> {
    this.loads++;
    if (this.fault !== undefined) return Promise.reject(this.fault);
    return Promise.resolve({
      signIn: this.around.signIn,
      commands: this.around.commands,
      showNotice: (notice) => {
        this.notices.push(notice);
        return Promise.resolve();
      },
    });
  }
}

describe('the actions', () => {
  it('are loaded with the first of them, and once', async () => {
    const b = bench({ answers: [confirmed] });
    const window = new Window(b);
    await window.actions.resume();
    assert.equal(window.loads, 0);
    const both = Promise.all([window.actions.signIn({}), window.actions.signIn({})]);
    await b.clock.advance(5_000);
    const [first, second] = await both;
    assert.equal(first.id, second.id);
    await window.actions.run('someBrand.cancelSignIn', undefined);
    assert.equal(window.loads, 1);
  });

  it('are loaded where a sign-in waits for a window that goes on with it', async () => {
    const before = bench({ answers: [confirmed] });
    const begun = before.signIn.signIn();
    begun.catch(() => undefined);
    await settle();
    before.signIn.dispose();
    await settle();

    const b = bench({ after: before });
    const window = new Window(b);
    window.signInsWait = true;
    const resumed = window.actions.resume();
    await b.clock.advance(5_000);
    await resumed;
    assert.equal(window.loads, 1);
    assert.equal(b.sessions.added.length, 1);
  });

  it('are tried again after they could not be loaded', async () => {
    const window = new Window(bench());
    window.fault = new Error('Cannot find module');
    await assert.rejects(window.actions.run('someBrand.cancelSignIn', undefined), /Cannot find module/);
    await window.actions.showNotice({ kind: 'reload' });
    assert.match(window.log.text(), /A message can’t be shown/);
    window.fault = undefined;
    await window.actions.showNotice({ kind: 'reload' });
    assert.deepEqual(window.notices, [{ kind: 'reload' }]);
    assert.equal(window.loads, 3);
  });

  it('end with the window, also where they were still being loaded', async () => {
    const b = bench();
    const window = new Window(b);
    const signingIn = window.actions.signIn({});
    window.actions.dispose();
    await assert.rejects(signingIn);
    await settle();
    assert.deepEqual(b.protocol.codeRequests, []);
  });

  it('know every command that is registered, and no other', async () => {
    const { commands, editor, clock, log } = bench();
    const ofSessions = sessionCommands({
      ...{ prefix: 'someBrand', editor, clock, log },
      l10n: english,
      language: 'en',
      sessions: {
        add: () => Promise.reject(new Error('unused')),
        list: () => Promise.resolve([]),
        remove: () => Promise.resolve(),
        rename: () => Promise.resolve(),
        refreshNow: () => Promise.resolve(),
        reportRejected: () => Promise.resolve(false),
      },
      inWords: String,
      signIn: () => Promise.resolve(),
      runningSignIn: () => undefined,
      configure: () => Promise.resolve(),
      showLog: () => undefined,
    });
    assert.deepEqual(
      [...Object.keys(commands), ...Object.keys(ofSessions)].sort(),
      COMMAND_NAMES.map((name) => `someBrand.${name}`).sort(),
    );
    await assert.rejects(new Window(bench()).actions.run('someBrand.other', undefined), RangeError);
  });
});
