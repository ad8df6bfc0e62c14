import * as vscode from 'vscode';
import { runMcpTool } from './mcp';
import {
  callService,
  checkInstalled,
  configuredServices,
  isKnown,
  MORE_SCOPES,
  pickAccount,
  PROVIDER,
  requireSession,
  requireSessionOf,
  SCOPES,
  send,
  serviceUrl,
  whoIsSignedIn,
} from './service';

/** What each command does, by its name. It returns what the person is told; `undefined` if they know it already. */
export type SampleCommands = Readonly<Record<string, () => Promise<string | undefined>>>;

/** The commands of the sample extension: each shows one way to ask for a session, or to use it. */
export function sampleCommands(): SampleCommands {
  const tokens = new Tokens();

  /** Keeps the token of a session, and says whose it is or, without one, whether somebody is signed in. */
  async function keep(session: vscode.AuthenticationSession | undefined): Promise<string> {
    tokens.add(session);
    return session === undefined ? `no session: ${await whoIsSignedIn()}` : `session of ${session.account.label}`;
  }

  async function ask(
    options: vscode.AuthenticationGetSessionOptions,
    scopes: readonly string[] = SCOPES,
  ): Promise<string> {
    return keep(await vscode.authentication.getSession(PROVIDER, scopes, options));
  }

  /** Asks for a session of the account that the person picks. */
  async function askForAccount(
    title: string,
    options: vscode.AuthenticationGetSessionOptions,
    scopes: readonly string[] = SCOPES,
  ): Promise<string> {
    const account = await pickAccount(title);
    return account === undefined ? 'no account' : ask({ ...options, account }, scopes);
  }

  return {
    askForSession: async () =>
      (await checkInstalled()) ? unlessKnown(async () => keep(await requireSession())) : 'not installed',
    askForService: async () => {
      const prompt = 'Base URL of the service whose session to ask for';
      const baseUrl = await vscode.window.showInputBox({ prompt, value: serviceUrl('') });
      return baseUrl === undefined ? 'no service' : unlessKnown(async () => keep(await requireSessionOf(baseUrl)));
    },
    whoAmIAt: async () => {
      const placeHolder = 'Service to call';
      const baseUrl = await vscode.window.showQuickPick([...configuredServices()], { placeHolder });
      return baseUrl === undefined
        ? 'no service'
        : unlessKnown(async () => whoAmI(await callService(`${baseUrl}/api/whoami`, await requireSessionOf(baseUrl))));
    },
    askSilently: () => ask({ silent: true }),
    askForAccount: () => askForAccount('Account whose session to ask for', { createIfNone: true }),
    askForMore: () => askForAccount('Account whose session needs more scopes', { createIfNone: true }, MORE_SCOPES),
    chooseAgain: () => ask({ clearSessionPreference: true, createIfNone: true }),
    signInAgain: () => askForAccount('Account to sign in with again', { forceNewSession: true }),
    whoAmI: async () => {
      const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
      const text = await keep(session);
      return session === undefined ? text : whoAmI(await callService(serviceUrl('/api/whoami'), session));
    },
    whoAmIBefore: async () =>
      tokens.previous === undefined
        ? 'no previous token: run Who Am I, refresh the session, run Who Am I again'
        : whoAmI(await send(serviceUrl('/api/whoami'), tokens.previous)),
    callAgain: async () => {
      const session = await requireSession();
      const rejected = { ...session, accessToken: tokens.previous ?? session.accessToken };
      return whoAmI(await callService(serviceUrl('/api/whoami'), rejected));
    },
    runMcpTool,
  };
}

/** What came of asking for a session; `undefined` if there's none, and the person knows why. */
async function unlessKnown(ask: () => Promise<string>): Promise<string | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isKnown(error)) return undefined;
    throw error;
  }
}

/** The newest access token, and the one before it, which the service rejects after a refresh. */
class Tokens {
  current: string | undefined;
  previous: string | undefined;

  add(session: vscode.AuthenticationSession | undefined): void {
    const token = session?.accessToken;
    if (token === this.current) return;
    this.previous = this.current ?? this.previous;
    this.current = token;
  }
}

/** What the service says about the token of a call, like any call of its API. */
async function whoAmI(response: Response): Promise<string> {
  return `whoami returned ${response.status} ${await response.text()}`;
}
