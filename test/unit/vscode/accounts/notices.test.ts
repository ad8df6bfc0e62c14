import assert from 'node:assert/strict';
import type { Notice } from '../../../../src/sessions/notice';
import { settle } from '../../../support/fakeClock';
import { isWhole, pseudo } from '../../l10n/pseudo';
import { chaptersAbout } from '../../l10n/troubleshootingPage';
import { SERVICE, sessionOf } from '../fakeSessions';
import { accountsBench, adasSession, configurationOf, MINUTE } from './accountsBench';

const ADA = { id: 'account of one', label: 'Ada' };
const ADAS = { sessionId: 'one', account: ADA, service: SERVICE };

const troubleshoot = (chapter: string) => ({
  Troubleshoot: `run vscode.open https://github.example/acme/blob/HEAD/docs/troubleshooting.md#${chapter}`,
});
const SIGNED_OUT = troubleshoot('youre-signed-out-or-have-to-sign-in-again');
const DISK = troubleshoot('the-disk-or-the-keyring-doesnt-work');
const SIGN_IN = { 'Sign In': 'sign in Ada', ...SIGNED_OUT };
const RELOAD = { 'Reload Window': 'run workbench.action.reloadWindow', ...DISK };
const HELP = { 'Show Log': 'showLog', ...DISK };

/** Each notice, its severity, how it begins, and what each button does. */
const CASES: readonly (readonly [Notice, string, RegExp, Readonly<Record<string, string>>])[] = [
  [
    { kind: 'ended', ...ADAS, responseLost: false },
    'warning',
    /^You’ve been signed out of Ada \(My Service\) because the service ended the session\./,
    SIGN_IN,
  ],
  [
    { kind: 'ended', ...ADAS, responseLost: true },
    'warning',
    /^You’ve been signed out of Ada \(My Service\) because the connection was lost/,
    SIGN_IN,
  ],
  [
    { kind: 'credentials refused', ...ADAS },
    'error',
    /^Couldn’t refresh the session for Ada \(My Service\)\. My Service didn’t accept the client ID/,
    {
      'Configure Service': `configure ${SERVICE.baseUrl} clientId`,
      'Set Client Secret': `setClientSecret ${SERVICE.baseUrl}`,
      ...troubleshoot('the-sign-in-fails'),
    },
  ],
  [
    { kind: 'needs user', ...ADAS, reason: 'refused' },
    'warning',
    /^Couldn’t refresh the session for Ada \(My Service\)\. Try again, or sign in again\./,
    { 'Try Again': 'refresh one', 'Sign In': 'sign in account of one', ...SIGNED_OUT },
  ],
  [
    { kind: 'needs user', ...ADAS, reason: 'other user' },
    'warning',
    /^The service reported a different user for the session of Ada \(My Service\)/,
    { 'Try Again': 'refresh one', 'Sign In': 'sign in account of one', ...SIGNED_OUT },
  ],
  [
    { kind: 'needs user', ...ADAS, reason: 'rejected' },
    'warning',
    /^The service rejected the session for Ada \(My Service\)/,
    { 'Sign In': 'sign in account of one', ...SIGNED_OUT },
  ],
  [
    { kind: 'trouble', ...ADAS },
    'warning',
    /^Several attempts to refresh the session for Ada \(My Service\) failed\. Try again, or sign in again\.$/,
    { 'Try Again': 'refresh one', 'Sign In': 'sign in account of one', ...SIGNED_OUT },
  ],
  [
    { kind: 'not refreshed', ...ADAS, reason: 'folder full' },
    'warning',
    /^Couldn’t refresh the session for Ada \(My Service\)\. The disk was full/,
    HELP,
  ],
  [
    { kind: 'not stored', ...ADAS, reason: 'folder full' },
    'warning',
    /^Couldn’t save .* for Ada \(My Service\)\. If this window closes .* The disk was full/,
    HELP,
  ],
  [{ kind: 'not stored', ...ADAS, reason: 'folder read-only' }, 'warning', /was read-only\. Make it writable/, HELP],
  [
    { kind: 'not stored', ...ADAS, reason: 'folder in use' },
    'warning',
    /If this window closes .* Another program was using/,
    HELP,
  ],
  [{ kind: 'not stored', ...ADAS, reason: 'folder' }, 'warning', /folder couldn’t be used\..* See the log/, HELP],
  [{ kind: 'reload' }, 'information', /^This window can’t share sign-ins/, RELOAD],
  [{ kind: 'key lost' }, 'warning', /^The key that protected your sign-ins/, { 'Sign In': 'sign in ', ...DISK }],
  [{ kind: 'key not stored' }, 'warning', /may be signed out when this window closes/, HELP],
  [{ kind: 'folder' }, 'warning', /^The extension’s storage folder couldn’t be used/, HELP],
  [{ kind: 'folder read-only' }, 'warning', /was read-only\. Make it writable/, HELP],
  [{ kind: 'secret storage' }, 'warning', /secret storage didn’t respond/, HELP],
  [{ kind: 'no sqlite' }, 'warning', /Update the editor\.$/, HELP],
  [{ kind: 'no file locks' }, 'warning', /file system without file locks/, HELP],
];

/** Guards that people read what happened to their sessions, with a button that helps. */
describe('a notice', () => {
  for (const [notice, severity, text, buttons] of CASES) {
    it(`is shown with its severity, text and buttons: ${text.source}`, async () => {
      for (const [button, did] of [...Object.entries(buttons), [undefined, undefined] as const]) {
        const bench = accountsBench(adasSession({ standing: 'retrying' }));
        const { done, editor } = bench;
        bench.notices().show(notice);
        await settle();
        assert.equal(editor.last.kind, severity);
        assert.match(editor.last.text, text);
        assert.deepEqual(editor.last.buttons, Object.keys(buttons));
        await editor.press(button);
        const commands = editor.commands.map((command) => `run ${command}`);
        assert.deepEqual([...done, ...commands], did === undefined ? [] : [did]);
      }
    });
  }

  for (const [notice, , text, buttons] of CASES) {
    it(`leads to where it’s explained, if it is: ${text.source}`, () => {
      const bench = accountsBench();
      const { editor } = bench;
      bench.notices().show(notice);
      const explaining = chaptersAbout(editor.last.text);
      const leads = buttons['Troubleshoot']?.split('#')[1];
      if (explaining.length > 0 || leads !== undefined) assert.ok(explaining.includes(leads ?? ''), editor.last.text);
    });
  }

  it('is whole in any language, and so are its buttons', () => {
    for (const [notice] of CASES) {
      const bench = accountsBench();
      const { editor } = bench;
      bench.notices(pseudo).show(notice);
      for (const text of [editor.last.text, ...editor.last.buttons]) assert.ok(isWhole(text), text);
    }
  });

  it('begins a sign-in that the person may not need anymore, as its time tells', async () => {
    const bench = accountsBench();
    for (const notice of [{ kind: 'ended', ...ADAS, responseLost: false }, { kind: 'key lost' }] as const) {
      const shownAt = bench.clock.now();
      bench.notices().show(notice);
      await bench.clock.advance(MINUTE);
      await bench.editor.press('Sign In');
      assert.equal(bench.since, shownAt);
    }
  });

  it('names the service of its account, and leads to a sign-in there', async () => {
    const bench = accountsBench();
    const { done, editor, settings } = bench;
    const services = [{ protocol: 'draft', baseUrl: 'https://gitlab.example', clientId: 'its', serviceName: 'GitLab' }];
    settings.current = configurationOf({}, services);
    const service = { ...SERVICE, baseUrl: 'https://gitlab.example', clientId: 'its' };
    const further = { sessionId: 'two', account: { id: 'two', label: 'ada · GitLab' }, service };
    bench.notices().show({ kind: 'ended', ...ADAS, responseLost: false });
    assert.match(editor.last.text, /signed out of Ada \(My Service\) because/);
    bench.notices().show({ kind: 'ended', ...further, responseLost: false });
    assert.match(editor.last.text, /signed out of ada \(GitLab\) because/);
    await editor.press('Sign In');
    bench.notices().show({ kind: 'needs user', ...further, reason: 'no refresh token' });
    assert.match(editor.last.text, /The session for ada \(GitLab\) expired/);
    await editor.press('Sign In');
    bench.notices().show({ ...further, kind: 'credentials refused' });
    assert.match(editor.last.text, /^Couldn’t refresh the session for ada \(GitLab\)\. GitLab didn’t accept/);
    assert.deepEqual(done, ['sign in ada · GitLab to https://gitlab.example', 'sign in two to https://gitlab.example']);
  });

  it('names the accounts that are hidden, and how their service is configured again', () => {
    const bench = accountsBench();
    const { editor } = bench;
    bench.notices().showHidden([sessionOf('Ada', 'one'), sessionOf('Grace', 'two')]);
    assert.match(
      editor.last.text,
      /^These accounts were hidden because their service was changed or removed: Ada, Grace\. .* set the client ID of https:\/\/service\.example to the client, and the protocol to draft\.$/,
    );
    assert.deepEqual(editor.last.buttons, ['Configure Service', 'Troubleshoot']);
  });

  it('can’t be made to hold a link', async () => {
    const bench = accountsBench();
    const { editor } = bench;
    const service = { ...SERVICE, baseUrl: 'https://service.example/[a](b)', clientId: '[Click](command:x)' };
    const hidden = { ...sessionOf('Ada', 'one'), service };
    bench.notices().showHidden([hidden]);
    await settle();
    assert.ok(!editor.last.text.includes(']('), editor.last.text);
  });
});
