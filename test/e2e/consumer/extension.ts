import { EventEmitter, once } from 'node:events';
import * as vscode from 'vscode';

const PROVIDER = 'device-flow';
const TURNS = 60;

/** Asks for a session, and says what came of it. */
type Turn = (turn: number) => Promise<string>;

/** Asks for sessions of several services, and says of each whether its own service takes its token. */
export function activate(context: vscode.ExtensionContext): void {
  const command = (name: string, run: () => Promise<string>): vscode.Disposable =>
    vscode.commands.registerCommand(`alternating.${name}`, async () => {
      const text = await run().catch((error: unknown) => String(error));
      void vscode.window.showInformationMessage(`Alternating: ${text}`);
    });
  context.subscriptions.push(
    command('ask', async () => {
      const baseUrl = (await vscode.window.showInputBox({ prompt: 'Base URL' })) ?? '';
      return await ask(baseUrl, scopesOf(baseUrl), { createIfNone: true });
    }),
    command('byName', () =>
      inTurn(async (turn) => {
        const baseUrl = urls()[turn % urls().length] ?? '';
        return await ask(baseUrl, scopesOf(baseUrl), { silent: true });
      }),
    ),
    command('byAccount', async () => {
      const accounts = await vscode.authentication.getAccounts(PROVIDER);
      return await inTurn(async (turn) => {
        const account = accounts[turn % accounts.length];
        return await ask(urlOf(account), ['sample'], { createIfNone: true, ...(account && { account }) });
      });
    }),
    command('challenge', async () => {
      const asked = (await vscode.window.showInputBox({ prompt: 'Base URL and options, as JSON' })) ?? '[]';
      return await challenge(...(JSON.parse(asked) as Parameters<typeof challenge>));
    }),
    command('terminal', async () => {
      const text = (await vscode.window.showInputBox({ prompt: 'Command' })) ?? '';
      vscode.window.createTerminal().sendText(text);
      return 'running';
    }),
    command('wait', () => waitForDefault(['sample'])),
    command('validity', validity),
    command('unnamed', () => ask(urls()[0] ?? '', ['sample'], { silent: true })),
  );
}

/** The base URLs of the services, the default one first. */
function urls(): readonly string[] {
  const services = vscode.workspace.getConfiguration('deviceFlow').get<readonly { baseUrl: string }[]>('services', []);
  return services.map(({ baseUrl }) => baseUrl);
}

/** The base URL of the service whose host an account has in its name, or else of the default one. */
function urlOf(account: vscode.AuthenticationSessionAccountInformation | undefined): string {
  const [first = '', ...others] = urls();
  return others.find((baseUrl) => account?.label.endsWith(` · ${new URL(baseUrl).host}`) === true) ?? first;
}

function scopesOf(baseUrl: string): readonly string[] {
  return ['sample', `DEVICE_FLOW_SERVICE:${baseUrl}`];
}

/** Asks for a session for what a server says it needs. The types of the oldest VS Code don't have such requests. */
async function challenge(baseUrl: string, options: vscode.AuthenticationGetSessionOptions): Promise<string> {
  const wwwAuthenticate = 'Bearer error="insufficient_scope", scope="sample write"';
  const request: unknown = { wwwAuthenticate, fallbackScopes: scopesOf(baseUrl) };
  const session = await vscode.authentication.getSession(PROVIDER, request as readonly string[], options);
  return session === undefined ? 'nobody' : `${session.account.label} with ${session.scopes.join(' and ')}`;
}

/** For how many milliseconds the token of the default service may be kept. The types don't have that. */
async function validity(): Promise<string> {
  const session = await vscode.authentication.getSession(PROVIDER, scopesOf(urls()[0] ?? ''), { silent: true });
  return JSON.stringify(session && 'expiresAfter' in session ? session.expiresAfter : 'unknown');
}

/** Asks for a session of the default service. If there's none, asks again after each change, until there's one. */
async function waitForDefault(scopes: readonly string[]): Promise<string> {
  const changes = new EventEmitter();
  const subscription = vscode.authentication.onDidChangeSessions(() => changes.emit('change'));
  try {
    for (;;) {
      const changed = once(changes, 'change');
      const session = await vscode.authentication.getSession(PROVIDER, scopes);
      if (session !== undefined) return `waited for ${session.account.label}`;
      await changed;
    }
  } finally {
    subscription.dispose();
  }
}

/** Whose session it is, and what the service at this base URL says of its token. */
async function ask(
  baseUrl: string,
  scopes: readonly string[],
  options: vscode.AuthenticationGetSessionOptions,
): Promise<string> {
  const session = await vscode.authentication.getSession(PROVIDER, scopes, options);
  if (session === undefined) return 'nobody';
  const headers = { Authorization: `Bearer ${session.accessToken}` };
  const { status } = await fetch(`${baseUrl}/api/whoami`, { headers });
  return `${session.account.label} ${status}`;
}

/** How often each answer came. */
async function inTurn(turn: Turn): Promise<string> {
  const counts = new Map<string, number>();
  for (let number = 0; number < TURNS; number++) {
    const text = await turn(number);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([text, count]) => `${text} x ${count}`)
    .sort()
    .join(', ');
}
