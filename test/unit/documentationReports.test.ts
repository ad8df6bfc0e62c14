import assert from 'node:assert/strict';
import path from 'node:path';
import type * as vscode from 'vscode';
import { ROOT } from '../../host/paths';
import type * as reports from '../embedder/reports/extension';
import type * as moreScopes from '../embedder/reports/moreScopes';
import type * as accounts from '../embedder/reports/pickAccount';
import { requireWith } from '../support/loadLibrary';

const ACCOUNT = { id: '1', label: 'ada' };
const OTHER = { id: '2', label: 'bob' };

const REPORTS = 'https://api.acme.example/reports';
const SCOPES = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];

/** An editor with the code of docs/use-the-session.md and docs/reference.md, a person who is signed in, and the service's API. */
class Reports {
  /** The token that VS Code hands out, and the one that the API accepts. */
  token = 'first';
  accepted = 'first';
  /** The token after a report, if there's another one then. */
  refreshed: string | undefined;
  /** The header of a response, with status 403 at first, which each call gets whose session lacks the scope `write`, if there's one. */
  challenge: string | undefined;
  /** The status of that response. */
  challengeStatus = 403;
  /** Whom VS Code prefers for the extension if it doesn't say which account it means. */
  preferred = ACCOUNT;
  /** Of whom the extension gets a session. */
  usable = [ACCOUNT, OTHER];
  /** Why there's no session. */
  refusal: Error | undefined;
  readonly asked: unknown[] = [];
  readonly reported: unknown[] = [];
  readonly sent: (string | undefined)[] = [];
  readonly messages: string[] = [];
  offered: readonly unknown[] = [];
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

  /** @returns the accounts that the person could pick */
  async pickAccount(): Promise<readonly unknown[]> {
    await this.#run('pickAccount', async (module) => {
      assert.deepEqual(await (module as typeof accounts).pickAccount(), this.offered[0]);
    });
    return this.offered;
  }

  /** Loads a file in this editor, and does something with it. */
  async #run(name: string, use: (module: unknown) => Promise<void>): Promise<void> {
    let granted: readonly string[] = [];
    const editor = {
      authentication: {
        getSession: (provider: string, scopes: readonly string[], options: { readonly account?: typeof ACCOUNT }) => {
          this.asked.push([provider, scopes, options]);
          granted = scopes;
          const { account = this.preferred } = options;
          // Others may ask meanwhile, and the person may choose another account for them.
          this.preferred = OTHER;
          if (this.refusal) return Promise.reject(this.refusal);
          const isUsable = this.usable.some(({ id }) => id === account.id);
          return Promise.resolve(isUsable ? { accessToken: this.token, account } : undefined);
        },
        getAccounts: () => Promise.resolve([ACCOUNT, OTHER]),
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
        showQuickPick: (offered: readonly unknown[]) => {
          this.offered = offered;
          return Promise.resolve(offered[0]);
        },
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
        return Promise.resolve(
          new Response('', { status: this.challengeStatus, headers: { 'WWW-Authenticate': this.challenge } }),
        );
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
    assert.deepEqual(askedScopes(), [SCOPES, SCOPES, [...SCOPES, 'read', 'write']]);
    assert.deepEqual(acme.sent, ['Bearer first', 'Bearer first']);
  });

  it('asks for the account that the service refused, whichever one VS Code prefers by then', async () => {
    acme.challenge = 'Bearer error="insufficient_scope", scope="write"';
    await acme.callWithMoreScopes();
    const [, first, second] = acme.asked.map((call) => (call as readonly unknown[])[2]);
    assert.deepEqual(
      [first, second],
      [1, 2].map(() => ({ account: ACCOUNT, createIfNone: true })),
    );
  });

  for (const challenge of [
    'Bearer error=insufficient_scope, scope=write',
    'bearer Scope = "write", Error = "insufficient_scope"',
  ]) {
    it(`reads parameters as HTTP allows them: ${challenge}`, async () => {
      acme.challenge = challenge;
      assert.equal(await acme.callWithMoreScopes(), 200);
    });
  }

  it('asks for the scopes that a response with status 401 names, too', async () => {
    Object.assign(acme, { challenge: 'Bearer error="insufficient_scope", scope="write"', challengeStatus: 401 });
    assert.equal(await acme.callWithMoreScopes(), 200);
  });

  for (const [what, challenge] of [
    ['names no scopes', 'Bearer error="insufficient_scope"'],
    ['says something else', 'Bearer error="invalid_request", scope="write"'],
    ['has an error of its own', 'Bearer error="insufficient_scope_level", scope="write"'],
    ['says nothing', ''],
  ] as const) {
    it(`asks for nothing if the service ${what}`, async () => {
      acme.challenge = challenge;
      assert.equal(await acme.callWithMoreScopes(), 403);
      assert.deepEqual([askedScopes(), acme.sent.length], [[SCOPES, SCOPES], 1]);
    });
  }

  it('calls once more only once', async () => {
    acme.challenge = 'Bearer error="insufficient_scope", scope="other"';
    assert.equal(await acme.callWithMoreScopes(), 403);
    assert.equal(acme.sent.length, 2);
  });

  it('asks for nothing if the call succeeds', async () => {
    assert.equal(await acme.callWithMoreScopes(), 200);
    assert.deepEqual(askedScopes(), [SCOPES, SCOPES]);
  });
});

/** Guards that what docs/reference.md shows for several accounts offers those that the extension can use. */
describe('the code for picking an account', () => {
  it('offers the accounts of which the extension gets a session of its service, and asks nobody for consent', async () => {
    const acme = new Reports();
    acme.usable = [OTHER];
    assert.deepEqual(await acme.pickAccount(), [OTHER]);
    const options = [ACCOUNT, OTHER].map((account) => ({ silent: true, account }));
    assert.deepEqual(
      acme.asked,
      options.map((one) => ['device-flow', SCOPES, one]),
    );
  });
});
