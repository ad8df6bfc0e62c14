import assert from 'node:assert/strict';
import path from 'node:path';
import type * as vscode from 'vscode';
import { ROOT } from '../../host/paths';
import type * as reports from '../embedder/reports/extension';
import { requireWith } from '../support/loadLibrary';

const ACCOUNT = { id: '1', label: 'ada' };

/** An editor with the extension of docs/use-the-session.md, a person who is signed in, and the service's API. */
class Reports {
  /** The token that VS Code hands out, and the one that the API accepts. */
  token = 'first';
  accepted = 'first';
  /** The token after a report, if there's another one then. */
  refreshed: string | undefined;
  /** Why there's no session. */
  refusal: Error | undefined;
  readonly asked: unknown[] = [];
  readonly reported: unknown[] = [];
  readonly sent: (string | undefined)[] = [];
  readonly messages: string[] = [];
  readonly #commands = new Map<string, () => Promise<void>>();

  async showReports(): Promise<void> {
    const editor = {
      authentication: {
        getSession: (provider: string, scopes: readonly string[], options: object) => {
          this.asked.push([provider, scopes, options]);
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
    const file = path.join(ROOT, 'out', 'test', 'embedder', 'reports', 'extension.js');
    const extension = requireWith(editor, file) as typeof reports;
    extension.activate({ subscriptions: [] } as unknown as vscode.ExtensionContext);
    const { fetch } = globalThis;
    globalThis.fetch = (_url, init) => {
      const authorization = new Headers(init?.headers).get('Authorization') ?? '';
      this.sent.push(authorization);
      const isAccepted = authorization === `Bearer ${this.accepted}`;
      return Promise.resolve(new Response(isAccepted ? 'all is well' : 'no', { status: isAccepted ? 200 : 401 }));
    };
    try {
      await this.#commands.get('acme.showReports')?.();
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
    const scopes = ['DEVICE_FLOW_SERVICE:https://login.acme.example'];
    assert.deepEqual(acme.asked, [['device-flow', scopes, { createIfNone: true }]]);
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
