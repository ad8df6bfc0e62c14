import assert from 'node:assert/strict';
import path from 'node:path';
import type * as vscode from 'vscode';
import { ROOT } from '../../host/paths';
import type * as reports from '../embedder/reports/extension';
import type * as moreScopes from '../embedder/reports/moreScopes';
import { requireWith } from '../support/loadLibrary';

const ACCOUNT = { id: '1', label: 'ada' };

const REPORTS = 'https://api.acme.example/reports';
const SCOPES = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];

/** An editor with the code of docs/use-the-session.md and docs/reference.md, a person who is signed in, and the service's API. */
class Reports {
  /** The token that VS Code hands out, and the one that the API accepts. */
  token = 'first';
  accepted = 'first';
  /** The token after a report, if there's another one then. */
  refreshed: string | undefined;
  /** The header of a response with status 403, which each call gets whose session lacks the scope `write`, if there's one. */
  challenge: string | undefined;
  /** Why there's no session. */
  refusal: Error | undefined;
  readonly asked: unknown[] = [];
  readonly reported: unknown[] = [];
  readonly sent: (string | undefined)[] = [];
  readonly messages: string[] = [];
  readonly #commands = new Map<string, () => Promise<void>>();

  async showReports(): Promise<void> {
    await this.#run('extension', async (extension) => {
      (extension as typeof reports).activate({ subscriptions: [] } as unknown as vscode.ExtensionContext);
      await this.#commands.get('acme.showReports')?.();
    });
  }

  /** @returns the status of the last response */
  async callWithMoreScopes(): Promise<number | undefined> {
    let response: Response | undefined;
    await this.#run('moreScopes', async (module) => {
      response = await (module as typeof moreScopes).callWithMoreScopes(REPORTS);
    });
    return response?.status;
  }

  /** Loads a file in this editor, and does something with it. */
  async #run(name: string, use: (module: unknown) => Promise<void>): Promise<void> {
    let granted: readonly string[] = [];
    const editor = {
      authentication: {
        getSession: (provider: string, scopes: readonly string[], options: object) => {
          this.asked.push([provider, scopes, options]);
          granted = scopes;
          return this.refusal
            ? Promise.reject(this.refusal)
            : Promise.resolve({ accessToken: this.token, account: ACCOUNT });
        },
      },
      commands: {
        registerCommand: (id: string, run: () => Promise<void>) => this.#commands.set(id, run),
        executeCommand: (...call: readonly unknown[]) => {
          this.reported.push(call);
          this.token = this.refreshed ?? this.token;
          return Promise.resolve(this.refreshed !== undefined);
        },
      },
      window: {
        showInformationMessage: (text: string) => this.messages.push(text),
        showErrorMessage: (text: string) => this.messages.push(`error: ${text}`),
      },
    };
    const module = requireWith(editor, path.join(ROOT, 'out', 'test', 'embedder', 'reports', `${name}.js`));
    const { fetch } = globalThis;
    globalThis.fetch = (_url, init) => {
      const authorization = new Headers(init?.headers).get('Authorization') ?? '';
      this.sent.push(authorization);
      if (this.challenge !== undefined && !granted.includes('write')) {
        return Promise.resolve(new Response('', { status: 403, headers: { 'WWW-Authenticate': this.challenge } }));
      }
      const isAccepted = authorization === `Bearer ${this.accepted}`;
      return Promise.resolve(new Response(isAccepted ? 'all is well' : 'no', { status: isAccepted ? 200 : 401 }));
    };
    try {
      await use(module);
    } finally {
      globalThis.fetch = fetch;
    }
  }
}

/** Guards that the extension that authors copy from docs/use-the-session.md does what the page says. */
describe('the extension that authors copy', () => {
  let acme: Reports;
  beforeEach(() => {
    acme = new Reports();
  });

  it('asks for a session of its service, and shows what the API returns', async () => {
    await acme.showReports();
    assert.deepEqual(acme.asked, [['device-flow', SCOPES, { createIfNone: true }]]);
    assert.deepEqual([acme.sent, acme.messages], [['Bearer first'], ['Acme says: all is well']]);
  });

  it('reports a token that the API rejects, and calls once more with the next one, of the same account', async () => {
    Object.assign(acme, { accepted: 'second', refreshed: 'second' });
    await acme.showReports();
    assert.deepEqual(acme.reported, [['deviceFlow.reportRejectedToken', 'first']]);
    assert.deepEqual((acme.asked[1] as unknown[])[2], { silent: true, account: ACCOUNT });
    assert.deepEqual([acme.sent, acme.messages], [['Bearer first', 'Bearer second'], ['Acme says: all is well']]);
  });

  it('doesn’t call again if there’s no other token', async () => {
    acme.accepted = 'second';
    await acme.showReports();
    assert.deepEqual([acme.sent, acme.messages], [['Bearer first'], ['Acme says: no']]);
  });

  it('says why there’s no session, unless the person knows it', async () => {
    const canceled = Object.assign(new Error('Canceled'), { name: 'Canceled' });
    const explained = Object.assign(new Error('The service refused.'), { name: 'ExplainedError' });
    for (const known of [canceled, explained, new Error('User did not consent to login.')]) {
      acme.refusal = known;
      await acme.showReports();
    }
    assert.deepEqual(acme.messages, []);
    acme.refusal = new Error('The service can’t be reached.');
    await acme.showReports();
    assert.deepEqual(acme.messages, ['error: The service can’t be reached.']);
  });
});

/** Guards that what docs/reference.md shows for a 403 asks for the scopes that the service names, and for nothing else. */
describe('the code for a call that needs more scopes', () => {
  let acme: Reports;
  beforeEach(() => {
    acme = new Reports();
  });
  const askedScopes = (): readonly unknown[] => acme.asked.map((call) => (call as readonly unknown[])[1]);

  it('asks for its own scopes and those that the service names, and calls once more', async () => {
    acme.challenge = 'Bearer realm="acme", error="insufficient_scope", scope="read write"';
    assert.equal(await acme.callWithMoreScopes(), 200);
    assert.deepEqual(askedScopes(), [SCOPES, [...SCOPES, 'read', 'write']]);
    assert.deepEqual(acme.sent, ['Bearer first', 'Bearer first']);
  });

  for (const [what, challenge] of [
    ['names no scopes', 'Bearer error="insufficient_scope"'],
    ['says something else', 'Bearer error="invalid_request", scope="write"'],
    ['says nothing', ''],
  ] as const) {
    it(`asks for nothing if the service ${what}`, async () => {
      acme.challenge = challenge;
      assert.equal(await acme.callWithMoreScopes(), 403);
      assert.deepEqual([askedScopes(), acme.sent.length], [[SCOPES], 1]);
    });
  }

  it('calls once more only once', async () => {
    acme.challenge = 'Bearer error="insufficient_scope", scope="other"';
    assert.equal(await acme.callWithMoreScopes(), 403);
    assert.equal(acme.sent.length, 2);
  });

  it('asks for nothing if the call succeeds', async () => {
    assert.equal(await acme.callWithMoreScopes(), 200);
    assert.deepEqual(askedScopes(), [SCOPES]);
  });
});
